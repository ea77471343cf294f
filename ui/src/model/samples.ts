import type { Step, StepState } from '../api/types';

/** A step for tests. */
export const step = (name: string, state: StepState = 'WAITING', more: Partial<Step> = {}): Step => ({
    name, item: null, hook: false, kind: 'task', state, task: null, child: null, attempts: 0, ready_at: null, started_at: null, finished_at: null, wakes_at: null, message: null, output: null, error: null, progress: null, items: null, ...more,
});

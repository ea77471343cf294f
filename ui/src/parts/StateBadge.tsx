import type { JobState, LeaseEnd, StepState, TaskState, Worker } from '../api/types';
import { Icon, type IconName } from './Icon';

export type AnyState = TaskState | JobState | StepState | LeaseEnd;

export const stateIcons: Record<AnyState, IconName> = {
    PENDING: 'clock',
    WAITING: 'clock',
    CLAIMED: 'hand',
    READY: 'hand',
    RUNNING: 'running',
    PAUSED: 'pause',
    COMPLETED: 'check',
    FAILED: 'cross',
    CRASHED: 'bolt',
    STOPPED: 'slash',
    STOPPED_CLEANLY: 'slash',
    CANCELLED: 'slash',
    EXPIRED: 'hourglass',
    SKIPPED: 'skip',
    NOT_STARTED: 'skip',
};

/** Shows a state with the same word, icon and colour everywhere. */
export function StateBadge({ state, quiet = false }: { state: AnyState; quiet?: boolean }) {
    return (
        <span className={`state is-${state} ${quiet ? 'state-quiet' : ''}`}>
            <Icon name={stateIcons[state] ?? 'info'} size={14} className={state === 'RUNNING' ? 'turns' : ''} />
            {state}
        </span>
    );
}

export type WorkerCondition = 'fresh' | 'stale' | 'draining' | 'inactive' | 'cordoned';

/** The most important fact about a worker. */
export function conditionOf(worker: Worker): WorkerCondition {
    if (worker.status === 'inactive') return 'inactive';
    if (!worker.fresh) return 'stale';
    if (worker.status === 'draining' || worker.drain_requested) return 'draining';
    return worker.cordoned ? 'cordoned' : 'fresh';
}

const conditionIcons: Record<WorkerCondition, IconName> = {
    fresh: 'pulse',
    stale: 'warning',
    draining: 'drain',
    inactive: 'moon',
    cordoned: 'slash',
};

export function ConditionBadge({ condition }: { condition: WorkerCondition }) {
    return (
        <span className={`state is-${condition}`}>
            <Icon name={conditionIcons[condition]} size={14} />
            {condition}
        </span>
    );
}

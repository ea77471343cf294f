import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../api/shapes';
import { headline, recoveriesOf } from './recoveries';
import { timingText } from './timing';

const event = (id: number, kind: string, second: number, more: Partial<HistoryEvent> = {}): HistoryEvent => ({ id, at: `2026-11-15T18:26:${String(second).padStart(2, '0')}.000Z`, kind, who: 'sweeper', message: '', worker: 'w', data: { evidence: 'exited' }, task: null, ...more });

describe('Recoveries', () => {
    it('combine a lost worker with the outcome of its tasks and the duration', () => {
        const [one, ...others] = recoveriesOf([event(3, 'failed', 12, { task: 'b' }), event(2, 'requeued', 11, { task: 'a' }), event(1, 'worker_lost', 10)]);
        expect(others).toEqual([]);
        expect(one).toMatchObject({ id: 1, worker: 'w', seconds: 2, facts: [['evidence', 'exited']] });
        expect(one!.tasks.map((task) => task.task)).toEqual(['a', 'b']);
    });
    it('are separate for each worker, newest first', () => {
        expect(recoveriesOf([event(1, 'worker_lost', 10), event(2, 'worker_lost', 20, { worker: 'v' })]).map((one) => one.worker)).toEqual(['v', 'w']);
    });
    it('keep a late result with its worker', () => {
        expect(recoveriesOf([event(1, 'worker_lost', 10), event(2, 'late_result_refused', 15, { task: 'a' })])[0]!.others).toHaveLength(1);
    });
    it('exclude a person\'s decision about a step', () => {
        expect(recoveriesOf([event(1, 'rejected', 10, { worker: null, job: 'j' })])).toEqual([]);
    });
    it('contain a single task when no worker was lost', () => {
        expect(recoveriesOf([event(1, 'requeued', 10, { task: 'a' })])[0]).toMatchObject({ lost: null, tasks: [{ id: 1 }] });
    });
    it('describe what happened to a worker or a task', () => {
        const said = (kind: string, more: Partial<HistoryEvent>) => headline(recoveriesOf([event(1, kind, 10, more)])[0]!);
        expect(said('worker_lost', {})).toBe('was lost');
        expect(said('requeued', { task: 'a' })).toBe('kept a task too long');
        expect(said('expired', { task: 'a', worker: null })).toBe('did not start before its deadline');
        expect(said('failed', { task: 'a', worker: null })).toBe('failed');
        expect(said('requeued', { task: 'a', worker: null })).toBe('was requeued');
        expect(said('late_result_refused', { task: 'a' })).toBe('came back with a result that was refused');
        expect(said('stop_requested', { task: 'a' })).toBe('was asked to stop a task');
        expect(said('worker_reactivated', {})).toBe('came back');
    });
});

describe('The timing of a schedule', () => {
    it('is shown in words', () => {
        expect(timingText({ interval_ms: 900_000 })).toBe('every 15 m');
        expect(timingText({ cron: '30 2 * * *', zone: 'Europe/Berlin' })).toBe('30 2 * * * in Europe/Berlin');
    });
});

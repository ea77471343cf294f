import { describe, expect, it } from 'vitest';
import { Coalescer, topicsOfChange, topicsOfEvent, type Topic } from './invalidation';

const counts = { pending: 0, claimed: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 };

describe('The topics to refresh', () => {
    it('follow from a change', () => {
        expect(topicsOfChange({ tasks: true, jobs: false, workers: false, counts })).toEqual(['tasks', 'queues', 'overview', 'stats']);
        expect(topicsOfChange({ tasks: false, jobs: false, workers: false, counts })).toEqual([]);
    });
    it('follow from an event', () => {
        expect(topicsOfEvent({ kind: 'worker_lost', task: null, job: null, worker: 'w' })).toEqual(expect.arrayContaining(['workers', 'recovery', 'overview']));
        expect(topicsOfEvent({ kind: 'queue_paused', task: null, job: null, worker: null })).toContain('queues');
        expect(topicsOfEvent({ kind: 'token_revoked', task: null, job: null, worker: null })).toContain('tokens');
    });
});

describe('Many changes', () => {
    function bench(pause: number) {
        let now = 0;
        const planned: [number, () => void][] = [];
        const told: Topic[][] = [];
        const clock = { now: () => now, after: (wait: number, call: () => void) => planned.push([now + wait, call]) };
        const pass = (milliseconds: number) => {
            now += milliseconds;
            while (planned[0] && planned[0][0] <= now) planned.shift()![1]();
        };
        return { coalescer: new Coalescer((topics) => told.push(topics), () => pause, clock), told, pass };
    }
    it('are reported together: the first at once, the others after the pause', () => {
        const { coalescer, told, pass } = bench(700);
        for (let i = 0; i < 50; i++) coalescer.add(['tasks', 'jobs']);
        expect(told).toEqual([['tasks', 'jobs']]);
        pass(700);
        expect(told).toEqual([['tasks', 'jobs'], ['tasks', 'jobs']]);
        pass(5000);
        expect(told).toHaveLength(2);
    });
    it('are reported at once when the tab becomes visible', () => {
        const { coalescer, told } = bench(20_000);
        coalescer.add(['tasks']);
        coalescer.add(['jobs']);
        coalescer.flush();
        expect(told).toEqual([['tasks'], ['jobs']]);
    });
});

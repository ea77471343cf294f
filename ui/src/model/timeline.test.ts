import { describe, expect, it } from 'vitest';
import type { Task, TaskStory } from '../api/types';
import { evidenceOf, timelineOf } from './timeline';

const base: Task = {
    id: '01a1e075-d5fa-7555-b2ef-d4ac3ebdf693', name: 'flaky', state: 'PENDING', waits_for: null, queue: 'default', priority: 50, tags: [], args: null, spec: null, result: null, error: null,
    created_at: '2026-11-15T18:26:20Z', run_at: null, deadline: null, claimed_at: null, started_at: null, finished_at: null, attempts: 0, crashes: 0, requeues: 0, lease: null, worker: null,
    cancel_requested: false, retry_of: null, idempotency_key: null, traceparent: null, concurrency: null, policy: {}, progress: null, checkpoint: null,
};
const story = (task: Partial<Task>, more: Partial<TaskStory> = {}): TaskStory => ({ task: { ...base, ...task }, step: null, waiting: null, attempts: [], events: [], ...more });
const titles = (told: TaskStory) => timelineOf(told).map((entry) => entry.title);

describe("A task's timeline", () => {
    it('of a waiting task ends with the reason', () => {
        const waiting = { for: 'no_worker' as const, sentence: 'waits for a worker: none has queue default', tasks: [], workers: [] };
        const entries = timelineOf(story({}, { waiting }));
        expect(entries.map((entry) => entry.sort)).toEqual(['submitted', 'now']);
        expect(entries[1]!.title).toBe('Waits for a worker: none has queue default');
    });
    it('of a retried task shows each attempt and the wait before it', () => {
        const attempt = (number: number, second: number) => ({
            number, end: 'FAILED' as const, error: { code: 'SCRIPT_FAILED', message: 'exit code 3', data: null }, lease: number, worker: 'w',
            claimed_at: `2026-11-15T18:26:${second}Z`, started_at: `2026-11-15T18:26:${second}Z`, finished_at: `2026-11-15T18:26:${second + 1}Z`,
        });
        const error = { code: 'SCRIPT_FAILED', message: 'exit code 3', data: null };
        expect(titles(story({ state: 'FAILED', finished_at: '2026-11-15T18:26:34Z', error, attempts: 2 }, { attempts: [attempt(1, 25), attempt(2, 33)] }))).toEqual([
            'Submitted to queue default, priority 50',
            'Waited 5.0 s for a worker',
            'Attempt 1 started',
            'Attempt 1 failed after 1.0 s',
            'Waited 7.0 s to run again',
            'Attempt 2 started',
            'Attempt 2 failed after 1.0 s',
            'Failed 14 s after it was submitted',
        ]);
    });
    it('of a running task ends with its progress', () => {
        const running = { state: 'RUNNING' as const, claimed_at: '2026-11-15T18:26:21Z', started_at: '2026-11-15T18:26:21Z', worker: 'w', lease: 7, progress: { fraction: 0.42, text: 'row 42', at: '2026-11-15T18:26:25Z' } };
        const entries = timelineOf(story(running));
        expect(entries.map((entry) => entry.title)).toEqual(['Submitted to queue default, priority 50', 'Waited 1.0 s for a worker', 'Attempt 1 started', '42% done']);
        expect(entries[2]).toMatchObject({ worker: 'w', lease: 7, tone: 'busy' });
    });
    it('shows the evidence of a verdict', () => {
        const event = { id: 5, at: '2026-11-15T18:26:38Z', kind: 'requeued', who: 'worker web-1', message: 'worker exited; the task is PENDING', worker: 'w', data: { evidence: 'exited', age_ms: 5021, nested: {} } };
        const entry = timelineOf(story({}, { events: [event] })).find((one) => one.sort === 'event')!;
        expect(entry).toMatchObject({ title: 'Requeued', tone: 'warn', who: 'worker web-1' });
        expect(entry.evidence).toEqual([['evidence', 'exited'], ['age', '5.0 s']]);
    });
    it('keeps the order of simultaneous entries', () => {
        const at = base.created_at;
        const events = [1, 2].map((id) => ({ id, at, kind: `kind_${id}`, who: '', message: '', worker: null, data: null }));
        expect(titles(story({}, { events }))).toEqual(['Submitted to queue default, priority 50', 'Kind 1', 'Kind 2']);
    });
});

describe('Evidence', () => {
    it('that is not an object shows nothing', () => {
        expect([evidenceOf(null), evidenceOf('text'), evidenceOf([1])]).toEqual([[], [], []]);
    });
});

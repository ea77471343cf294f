import { describe, expect, it } from 'vitest';
import type { Job } from '../api/types';
import { ganttOf, ticksOf } from './gantt';
import { step } from './samples';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const job = (finished: number | null): Job => ({
    id: '1', workflow: 'w', state: finished === null ? 'RUNNING' : 'COMPLETED', input: null, output: null, error: null, cancel_requested: false, created_at: at(0), started_at: at(0), finished_at: finished === null ? null : at(finished), deadline: null,
    root: null, parent: null, parent_step: null, depth: 0, retry_of: null, queues: ['default'], steps: { waiting: 0, ready: 0, running: 0, completed: 0, failed: 0, skipped: 0, cancelled: 0 },
});

describe('The timeline of a job', () => {
    it('places bars by their times', () => {
        const done = step('a', 'COMPLETED', { ready_at: at(0), started_at: at(10), finished_at: at(30) });
        expect(ganttOf(job(40), [done], 0).bars[0]).toMatchObject({ ready: 0, start: 0.25, end: 0.75, seconds: 20 });
    });
    it('extends running steps until now', () => {
        const running = step('a', 'RUNNING', { ready_at: at(0), started_at: at(10) });
        expect(ganttOf(job(null), [running], Date.parse(at(20))).bars[0]).toMatchObject({ start: 0.5, end: 1, seconds: 10 });
    });
    it('puts steps that have not begun last', () => {
        const steps = [step('later'), step('second', 'RUNNING', { ready_at: at(2), started_at: at(2) }), step('first', 'COMPLETED', { ready_at: at(1), started_at: at(1), finished_at: at(2) })];
        expect(ganttOf(job(null), steps, Date.parse(at(5))).bars.map((bar) => bar.step.name)).toEqual(['first', 'second', 'later']);
    });
    it('tolerates a slow clock', () => {
        const { bars, from, to } = ganttOf(job(null), [step('a', 'RUNNING', { started_at: at(5) })], Date.parse(at(-10)));
        expect(to).toBeGreaterThan(from);
        expect(bars[0]!.start).toBeLessThanOrEqual(1);
    });
});

describe('Ticks on the axis', () => {
    it('are a few round numbers', () => {
        for (const seconds of [0.4, 3, 27, 90, 1000, 50_000, 4e6]) expect(ticksOf(seconds).length).toBeLessThanOrEqual(8);
        expect(ticksOf(27).map((tick) => tick.label)).toEqual(['5s', '10s', '15s', '20s', '25s']);
        expect(ticksOf(600).map((tick) => tick.label)).toEqual(['2m', '4m', '6m', '8m']);
    });
});

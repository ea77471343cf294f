import { describe, expect, it } from 'vitest';
import { jobToRetry } from './retry';

const step = { job: 'j', name: 'build', hook: false };

describe('The object to retry for an ended task', () => {
    it('is the job of a step', () => {
        expect(jobToRetry({ task: { finished_at: '2026-01-01T00:00:00Z' }, step })).toBe('j');
    });
    it('is the task itself when it belongs to no step, or to a hook', () => {
        expect(jobToRetry({ task: { finished_at: '2026-01-01T00:00:00Z' }, step: null })).toBeNull();
        expect(jobToRetry({ task: { finished_at: '2026-01-01T00:00:00Z' }, step: { ...step, hook: true } })).toBeNull();
    });
    it('is null while the task has not ended', () => {
        expect(jobToRetry({ task: { finished_at: null }, step })).toBeNull();
    });
});

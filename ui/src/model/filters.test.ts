import { describe, expect, it } from 'vitest';
import { auditFiltersOf, auditSearch, auditSince, jobFiltersOf, jobSearch, taskFiltersOf, taskSearch, toggled } from './filters';

describe('Filters of tasks', () => {
    it('survive a round trip through the URL', () => {
        const filters = { states: ['FAILED', 'EXPIRED'] as const, name: 'a b&c', queue: 'q', worker: 'web-1', id: '01a1' };
        expect(taskFiltersOf(taskSearch({ ...filters, states: [...filters.states] }))).toEqual({ ...filters, states: ['FAILED', 'EXPIRED'] });
    });
    it('without a value do not appear in the URL', () => {
        expect(taskSearch(taskFiltersOf(''))).toBe('');
    });
    it('keep commas readable', () => {
        expect(taskSearch(taskFiltersOf('?state=FAILED,PENDING'))).toBe('?state=PENDING,FAILED');
    });
    it('ignore unknown states and letter case', () => {
        expect(taskFiltersOf('?state=failed,GONE').states).toEqual(['FAILED']);
    });
    it('are toggled one state at a time', () => {
        expect(toggled(['A', 'B'], 'A')).toEqual(['B']);
        expect(toggled(['B'], 'A')).toEqual(['B', 'A']);
    });
});

describe('Filters of jobs', () => {
    it('survive a round trip through the URL', () => {
        const search = '?state=PAUSED&workflow=nightly&children=true';
        expect(jobSearch(jobFiltersOf(search))).toBe(search);
    });
});

describe('Filters of the audit', () => {
    it('survive a round trip through the URL', () => {
        const search = '?who=ann&kind=queue_paused&queue=mail&text=a+b&within=7d';
        expect(auditSearch(auditFiltersOf(search))).toBe(search);
    });
    it('ignore a period that the page does not offer', () => {
        expect(auditFiltersOf('?within=100y').within).toBe('');
    });
    it('count the period back from now', () => {
        expect(auditSince('24h', Date.UTC(2026, 10, 15))).toBe('2026-11-14T00:00:00.000Z');
        expect(auditSince('', 0)).toBeNull();
    });
});

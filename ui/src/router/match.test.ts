import { describe, expect, it } from 'vitest';
import { attentionPath } from '../pages/links';
import { matchPath } from './match';

describe('A path', () => {
    it('matches a pattern segment by segment', () => {
        expect(matchPath('/tasks/:id', '/tasks/01a%2Fb/')).toEqual({ id: '01a/b' });
        expect(matchPath('/', '/')).toEqual({});
        expect(matchPath('/tasks/:id', '/tasks')).toBeNull();
        expect(matchPath('/tasks', '/jobs')).toBeNull();
    });
    it('with an invalid escape is used unchanged', () => {
        expect(matchPath('/tasks/:id', '/tasks/%E0%A4%A')).toEqual({ id: '%E0%A4%A' });
    });
});

describe('An item that needs attention', () => {
    it('links to the page where a person can act', () => {
        expect(attentionPath({ kind: 'approval', link: { page: 'job', id: '1' } })).toBe('/jobs/1');
        expect(attentionPath({ kind: 'task_failed', link: { page: 'tasks', id: null } })).toBe('/tasks?state=FAILED');
        expect(attentionPath({ kind: 'queue_paused', link: { page: 'queues', id: 'a' } })).toBe('/queues');
        expect(attentionPath({ kind: 'new_kind', link: { page: 'new_page', id: null } })).toBe('/');
    });
});

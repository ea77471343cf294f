import { part } from '../api/client';
import type { Concern } from '../api/types';

export const taskPath = (id: string) => `/tasks/${part(id)}`;
export const jobPath = (id: string) => `/jobs/${part(id)}`;
export const workerPath = (id: string) => `/workers/${part(id)}`;

const pages: Record<string, string> = {
    task: '/tasks',
    tasks: '/tasks',
    job: '/jobs',
    jobs: '/jobs',
    worker: '/workers',
    workers: '/workers',
    recovery: '/recovery',
    queue: '/queues',
    queues: '/queues',
    schedule: '/schedules',
    schedules: '/schedules',
};
const withPages = new Set(['/tasks', '/jobs', '/workers']);

/** The page that shows an item that needs attention. */
export function attentionPath({ kind, link }: Pick<Concern, 'kind' | 'link'>): string {
    const page = pages[link.page] ?? '/';
    if (link.id && withPages.has(page)) return `${page}/${part(link.id)}`;
    if (kind === 'task_failed') return '/tasks?state=FAILED';
    if (kind === 'job_failed') return '/jobs?state=FAILED';
    if (kind === 'approval') return '/jobs?state=RUNNING';
    if (kind === 'unmatched' && page === '/tasks') return '/tasks?state=PENDING';
    return page;
}

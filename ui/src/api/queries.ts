import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { serverNow } from '../live/clock';
import { auditSince, type AuditFilters, type JobFilters, type TaskFilters } from '../model/filters';
import { get, part } from './client';
import type { HistoryEvent, Page } from './shapes';
import type {
    AuditLine,
    CatalogTask,
    CatalogWorkflow,
    Job,
    JobStory,
    Json,
    Overview,
    Queue,
    Recovery,
    Schedule,
    Session,
    StaleTask,
    Stats,
    Step,
    Task,
    TaskStory,
    PageSession,
    Token,
    Worker,
    WorkerState,
    WorkerStory,
} from './types';

/** The first part of a key is the topic of the live stream. */
export const keys = {
    session: ['session'],
    overview: ['overview'],
} as const;

/** The polling interval for changes without an event (a heartbeat, a service's run), in a visible tab only. */
const seldom = 5000;

export const sessionQuery = queryOptions({
    queryKey: keys.session,
    queryFn: ({ signal }) => get<Session>('/session', {}, signal),
    staleTime: 60_000,
});

export const overviewQuery = queryOptions({
    queryKey: keys.overview,
    queryFn: ({ signal }) => get<Overview>('/overview', {}, signal),
    refetchInterval: seldom,
});

export const statsQuery = (window: string) =>
    queryOptions({
        queryKey: ['stats', window],
        queryFn: ({ signal }) => get<Stats>('/stats', { window, buckets: 60 }, signal),
        refetchInterval: 15_000,
        placeholderData: keepPreviousData,
    });

export const taskQuery = (id: string) =>
    queryOptions({
        queryKey: ['tasks', 'one', id],
        queryFn: ({ signal }) => get<TaskStory>(`/tasks/${part(id)}`, {}, signal),
        // Progress and heartbeats write no event.
        refetchInterval: (query) => (query.state.data && !query.state.data.task.finished_at ? 2000 : false),
    });

export const feedSize = 100;

export function fetchTasks(filters: TaskFilters, after: string | null, signal?: AbortSignal): Promise<Page<Task>> {
    const { states, name, queue, worker, id } = filters;
    return get<Page<Task>>('/tasks', { state: states.join(','), name, queue, worker, id, after, limit: feedSize }, signal);
}

export function fetchJobs(filters: JobFilters, after: string | null, signal?: AbortSignal): Promise<Page<Job>> {
    const { states, workflow, children, id } = filters;
    return get<Page<Job>>('/jobs', { state: states.join(','), workflow, children, id, after, limit: feedSize }, signal);
}

export const jobQuery = (id: string) =>
    queryOptions({
        queryKey: ['jobs', 'one', id],
        queryFn: ({ signal }) => get<JobStory>(`/jobs/${part(id)}`, {}, signal),
        refetchInterval: (query) => (query.state.data && !query.state.data.job.finished_at ? 2000 : false),
    });

export const stepQuery = (job: string, step: string) =>
    queryOptions({
        queryKey: ['jobs', 'one', job, 'step', step],
        queryFn: ({ signal }) => get<{ step: Step; items: Step[] }>(`/jobs/${part(job)}/steps/${part(step)}`, {}, signal),
    });

export const definitionQuery = (id: string) =>
    queryOptions({
        queryKey: ['definition', id],
        queryFn: ({ signal }) => get<Json>(`/jobs/${part(id)}/definition`, {}, signal),
        staleTime: Infinity,
    });

export const workersQuery = (all: boolean) =>
    queryOptions({
        queryKey: ['workers', 'list', all],
        queryFn: async ({ signal }) => (await get<Page<Worker>>('/workers', { all }, signal)).items,
        refetchInterval: seldom,
        placeholderData: keepPreviousData,
    });

export const workerQuery = (id: string) =>
    queryOptions({
        queryKey: ['workers', 'one', id],
        queryFn: ({ signal }) => get<WorkerStory>(`/workers/${part(id)}`, {}, signal),
        refetchInterval: seldom,
    });

export const snapshotsQuery = (id: string) =>
    queryOptions({
        queryKey: ['workers', 'one', id, 'states'],
        queryFn: async ({ signal }) => (await get<Page<WorkerState>>(`/workers/${part(id)}/states`, { limit: 500 }, signal)).items,
        refetchInterval: seldom,
    });

export const queuesQuery = queryOptions({
    queryKey: ['queues'],
    queryFn: async ({ signal }) => (await get<Page<Queue>>('/queues', {}, signal)).items,
    refetchInterval: 15_000,
});

export const schedulesQuery = queryOptions({
    queryKey: ['schedules'],
    queryFn: async ({ signal }) => (await get<Page<Schedule>>('/schedules', {}, signal)).items,
    refetchInterval: 15_000,
});

export const recoveryQuery = queryOptions({
    queryKey: ['recovery', 'status'],
    queryFn: ({ signal }) => get<Recovery>('/recovery', {}, signal),
    refetchInterval: seldom,
});

export const staleQuery = (threshold: string) =>
    queryOptions({
        queryKey: ['recovery', 'stale', threshold],
        queryFn: async ({ signal }) => (await get<Page<StaleTask>>('/recovery/stale', { threshold }, signal)).items,
        refetchInterval: seldom,
        placeholderData: keepPreviousData,
    });

export const eventsQuery = (limit: number) =>
    queryOptions({
        queryKey: ['events', limit],
        queryFn: async ({ signal }) => (await get<Page<HistoryEvent>>('/events', { limit }, signal)).items,
        refetchInterval: 30_000,
    });

export const catalogTasksQuery = queryOptions({
    queryKey: ['catalog', 'tasks'],
    queryFn: async ({ signal }) => (await get<Page<CatalogTask>>('/catalog/tasks', {}, signal)).items,
    refetchInterval: 15_000,
});

export const catalogWorkflowsQuery = queryOptions({
    queryKey: ['catalog', 'workflows'],
    queryFn: async ({ signal }) => (await get<Page<CatalogWorkflow>>('/catalog/workflows', {}, signal)).items,
    refetchInterval: 15_000,
});

/** Each page searches a bounded part of the audit, so a page may be empty although there are more. */
export const auditQuery = (filters: AuditFilters) =>
    infiniteQueryOptions({
        queryKey: ['events', 'audit', filters],
        queryFn: ({ pageParam, signal }) => {
            const { who, kind, queue, text, within } = filters;
            return get<{ items: AuditLine[]; next: number | null }>('/audit', { who, kind, queue, text, since: auditSince(within, serverNow()), after: pageParam, limit: feedSize }, signal);
        },
        initialPageParam: null as number | null,
        getNextPageParam: (page) => page.next,
    });

export const tokensQuery = queryOptions({
    queryKey: ['tokens'],
    queryFn: async ({ signal }) => (await get<Page<Token>>('/tokens', {}, signal)).items,
});

export const sessionsQuery = queryOptions({
    queryKey: ['tokens', 'sessions'],
    queryFn: async ({ signal }) => (await get<Page<PageSession>>('/sessions', {}, signal)).items,
    refetchInterval: 15_000,
});

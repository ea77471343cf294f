import { jobStates, taskStates, type JobState, type TaskState } from '../api/types';

export interface TaskFilters {
    states: TaskState[];
    name: string;
    queue: string;
    worker: string;
    id: string;
}
export interface JobFilters {
    states: JobState[];
    workflow: string;
    id: string;
    children: boolean;
}

export interface AuditFilters {
    who: string;
    kind: string;
    queue: string;
    text: string;
    /** Given at most so long ago; empty: at any time. */
    within: string;
}

/** How far back the audit can be searched with one click, in hours. */
export const auditPeriods = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;

const texts = ['name', 'queue', 'worker', 'id'] as const;

function statesOf<S extends string>(query: URLSearchParams, known: readonly S[]): S[] {
    const asked = (query.get('state') ?? '').toUpperCase().split(',');
    return known.filter((state) => asked.includes(state));
}

/** Ignores unknown filters and states, so that an old link still works. */
export function taskFiltersOf(search: string): TaskFilters {
    const query = new URLSearchParams(search);
    const [name, queue, worker, id] = texts.map((key) => query.get(key)?.trim() ?? '') as [string, string, string, string];
    return { states: statesOf(query, taskStates), name, queue, worker, id };
}

export function taskSearch(filters: TaskFilters): string {
    return searchOf({ state: filters.states.join(','), ...pick(filters) });
}

function pick(filters: TaskFilters) {
    return { name: filters.name, queue: filters.queue, worker: filters.worker, id: filters.id };
}

export function jobFiltersOf(search: string): JobFilters {
    const query = new URLSearchParams(search);
    return {
        states: statesOf(query, jobStates),
        workflow: query.get('workflow')?.trim() ?? '',
        id: query.get('id')?.trim() ?? '',
        children: query.get('children') === 'true',
    };
}

export function jobSearch(filters: JobFilters): string {
    const { workflow, id } = filters;
    return searchOf({ state: filters.states.join(','), workflow, id, children: filters.children ? 'true' : '' });
}

export function auditFiltersOf(search: string): AuditFilters {
    const query = new URLSearchParams(search);
    const [who, kind, queue, text, within] = ['who', 'kind', 'queue', 'text', 'within'].map((key) => query.get(key)?.trim() ?? '') as [string, string, string, string, string];
    return { who, kind, queue, text, within: within in auditPeriods ? within : '' };
}

export function auditSearch({ who, kind, queue, text, within }: AuditFilters): string {
    return searchOf({ who, kind, queue, text, within });
}

/** The time from which on orders are wanted; null: from the beginning. */
export function auditSince(within: string, now: number): string | null {
    const hours = auditPeriods[within as keyof typeof auditPeriods];
    return hours ? new Date(now - hours * 3_600_000).toISOString() : null;
}

function searchOf(values: Record<string, string>): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) if (value) query.set(key, value);
    const text = query.toString().replaceAll('%2C', ',');
    return text ? `?${text}` : '';
}

export function toggled<S>(states: S[], state: S): S[] {
    return states.includes(state) ? states.filter((other) => other !== state) : [...states, state];
}

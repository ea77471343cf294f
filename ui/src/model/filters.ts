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

function searchOf(values: Record<string, string>): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) if (value) query.set(key, value);
    const text = query.toString().replaceAll('%2C', ',');
    return text ? `?${text}` : '';
}

export function toggled<S>(states: S[], state: S): S[] {
    return states.includes(state) ? states.filter((other) => other !== state) : [...states, state];
}

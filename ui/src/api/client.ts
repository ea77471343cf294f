import type { Problem } from './types';

/** A failed request. Its message is for people. */
export class ApiError extends Error {
    constructor(readonly problem: Problem) {
        super(asSentence(problem.detail || problem.title));
        this.name = 'ApiError';
    }
    get status() {
        return this.problem.status;
    }
    get code() {
        return this.problem.code;
    }
}

/** Our details continue a command's name; here they stand alone, so they begin with a capital letter. */
const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The status of a request without an answer. */
export const unreachable = 0;

function problemOf(status: number, body: string): Problem {
    try {
        const parsed = JSON.parse(body) as Partial<Problem>;
        if (typeof parsed.detail === 'string')
            return { ...parsed, type: parsed.type ?? '', status, title: parsed.title ?? '', detail: parsed.detail, code: parsed.code ?? '' };
    } catch {
        // A proxy in between speaks its own language.
    }
    return { type: '', status, title: 'Unexpected answer', code: '', detail: `The server answered with status ${status}.` };
}

const noServer: Problem = {
    type: '',
    status: unreachable,
    title: 'No connection',
    code: 'UNREACHABLE',
    detail: 'The server does not answer. The page tries again automatically.',
};

async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const changes = method !== 'GET';
    let answer: Response;
    try {
        answer = await fetch(path, {
            method,
            signal: signal ?? null,
            credentials: 'same-origin',
            headers: {
                accept: 'application/json',
                ...(changes ? { 'x-holdfast': 'page', 'content-type': 'application/json' } : {}),
            },
            ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
        });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new ApiError(noServer);
    }
    const text = await answer.text();
    if (!answer.ok) throw new ApiError(problemOf(answer.status, text));
    return (text ? JSON.parse(text) : null) as T;
}

export type Parameters = Record<string, string | number | boolean | null | undefined>;

/** `/api` + path, with the parameters that have a value. */
export function address(path: string, parameters: Parameters = {}): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters))
        if (value !== undefined && value !== null && value !== '' && value !== false) query.set(key, String(value));
    const text = query.toString();
    return `/api${path}${text ? `?${text}` : ''}`;
}

export const get = <T>(path: string, parameters?: Parameters, signal?: AbortSignal) =>
    request<T>('GET', address(path, parameters), undefined, signal);
export const post = <T>(path: string, body?: unknown) => request<T>('POST', address(path), body);
export const remove = <T>(path: string) => request<T>('DELETE', address(path));

/** One segment of a path, encoded. */
export const part = encodeURIComponent;

import type { HistoryEvent } from '../api/shapes';
import type { Attempt, Json, Task, TaskStory } from '../api/types';
import { durationText, secondsBetween } from '../text/duration';
import { kindWords } from '../text/words';

export type Tone = 'plain' | 'busy' | 'good' | 'bad' | 'warn';
export interface Entry {
    at: string;
    /** The kind of entry; selects its icon. */
    sort: 'submitted' | 'waited' | 'claimed' | 'started' | 'progress' | 'ended' | 'event' | 'now' | 'result';
    title: string;
    detail: string | null;
    tone: Tone;
    worker: string | null;
    /** The evidence of a verdict: [name, value]. */
    evidence: [string, string][];
    who: string | null;
    lease: number | null;
}

/** The life of a task, oldest first. */
export function timelineOf(story: TaskStory): Entry[] {
    const entries = [submitted(story.task), ...lives(story), ...story.events.map(fromEvent), ...present(story)];
    return entries
        .map((entry, place) => ({ entry, place }))
        .sort((a, b) => Date.parse(a.entry.at) - Date.parse(b.entry.at) || a.place - b.place)
        .map(({ entry }) => entry);
}

function entry(at: string, sort: Entry['sort'], title: string, more: Partial<Entry> = {}): Entry {
    return { at, sort, title, detail: null, tone: 'plain', worker: null, evidence: [], who: null, lease: null, ...more };
}

function submitted(task: Task): Entry {
    const detail = task.retry_of ? `as a retry of ${task.retry_of}` : null;
    return entry(task.created_at, 'submitted', `Submitted to queue ${task.queue}, priority ${task.priority}`, { detail });
}

/** Each attempt with the wait before it. */
function lives({ task, attempts, events }: TaskStory): Entry[] {
    let since = task.created_at;
    const entries: Entry[] = [];
    for (const attempt of attempts) {
        entries.push(...waited(since, attempt.claimed_at, entries.length > 0), ...fromAttempt(attempt));
        since = attempt.finished_at;
    }
    const open = task.state === 'CLAIMED' || task.state === 'RUNNING';
    if (open && task.claimed_at) entries.push(...waited(since, task.claimed_at, attempts.length > 0 || events.length > 0));
    return entries;
}

function waited(from: string, to: string, again: boolean): Entry[] {
    const seconds = secondsBetween(from, to);
    if (seconds < 0.05) return [];
    return [entry(to, 'waited', `Waited ${durationText(seconds)} ${again ? 'to run again' : 'for a worker'}`)];
}

function fromAttempt(attempt: Attempt): Entry[] {
    const { number, worker, lease } = attempt;
    const good = attempt.end === 'COMPLETED';
    const took = durationText(secondsBetween(attempt.started_at, attempt.finished_at));
    const entries: Entry[] = [];
    if (secondsBetween(attempt.claimed_at, attempt.started_at) >= 0.02)
        entries.push(entry(attempt.claimed_at, 'claimed', `Claimed for attempt ${number}`, { worker, lease }));
    entries.push(entry(attempt.started_at, 'started', `Attempt ${number} started`, { worker, lease }));
    entries.push(
        entry(attempt.finished_at, 'ended', `Attempt ${number} ${endWords[attempt.end] ?? attempt.end} after ${took}`, {
            tone: good ? 'good' : attempt.end === 'FAILED' || attempt.end === 'CRASHED' ? 'bad' : 'warn',
            detail: attempt.error ? errorText(attempt.error) : null,
        }),
    );
    return entries;
}

const endWords: Record<string, string> = {
    COMPLETED: 'completed',
    FAILED: 'failed',
    CRASHED: 'crashed',
    STOPPED: 'was stopped',
    STOPPED_CLEANLY: 'stopped cleanly',
    CANCELLED: 'was cancelled',
};

const bad = new Set(['failed', 'rejected', 'worker_lost', 'submits_lost', 'job_stuck', 'job_failed', 'step_failed', 'schedule_refused']);
const warning = new Set(['requeued', 'late_result_refused', 'forced', 'expired', 'cancelled', 'cancel_requested', 'stop_requested']);
export function eventTone(kind: string): Tone {
    if (bad.has(kind)) return 'bad';
    return warning.has(kind) ? 'warn' : 'plain';
}

function fromEvent(event: HistoryEvent): Entry {
    return entry(event.at, 'event', capital(kindWords(event.kind)), {
        detail: event.message || null,
        tone: eventTone(event.kind),
        worker: event.worker,
        evidence: evidenceOf(event.data),
        who: event.who || null,
    });
}

/** The number of runs, including the current one. */
export const runsOf = (task: Pick<Task, 'state' | 'attempts' | 'crashes'>) => task.attempts + task.crashes + (task.state === 'RUNNING' ? 1 : 0);

function present({ task, waiting }: TaskStory): Entry[] {
    const now = new Date().toISOString();
    switch (task.state) {
        case 'PENDING':
            return waiting ? [entry(now, 'now', capital(waiting.sentence), { tone: 'busy' })] : [];
        case 'CLAIMED':
            return [holder(task, task.claimed_at ?? now, 'Claimed', 'claimed')];
        case 'RUNNING':
            return [
                holder(task, task.started_at ?? now, `Attempt ${runsOf(task)} started`, 'started'),
                ...progressOf(task),
            ];
        default:
            return [ended(task, task.finished_at ?? now)];
    }
}

function holder(task: Task, at: string, title: string, sort: Entry['sort']): Entry {
    return entry(at, sort, title, { tone: 'busy', worker: task.worker, lease: task.lease });
}

function progressOf(task: Task): Entry[] {
    if (!task.progress) return [];
    const { fraction, text, at } = task.progress;
    return [entry(at, 'progress', `${Math.floor(fraction * 100)}% done`, { tone: 'busy', detail: text || null })];
}

function ended(task: Task, at: string): Entry {
    const tone = task.state === 'COMPLETED' ? 'good' : task.state === 'CANCELLED' ? 'warn' : 'bad';
    const took = durationText(secondsBetween(task.created_at, at));
    return entry(at, 'result', `${capital(task.state.toLowerCase())} ${took} after it was submitted`, {
        tone,
        detail: task.error ? errorText(task.error) : null,
    });
}

export const errorText = (error: { code: string; message: string }) =>
    error.message ? `${error.code}: ${error.message}` : error.code;

/** Readable names and values: age_ms: 5021 becomes age: 5.0 s. */
export function evidenceOf(data: Json): [string, string][] {
    if (data === null || typeof data !== 'object' || Array.isArray(data)) return [];
    return Object.entries(data).flatMap(([key, value]) => {
        if (value === null || typeof value === 'object') return [];
        if (key.endsWith('_ms') && typeof value === 'number')
            return [[kindWords(key.slice(0, -3)), durationText(value / 1000)] as [string, string]];
        return [[kindWords(key), String(value)] as [string, string]];
    });
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

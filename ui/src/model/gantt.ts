import type { Job, Step, StepState } from '../api/types';

export interface Bar {
    step: Step;
    /** Fractions of the whole time, 0 to 1: when it was ready, began and ended. */
    ready: number | null;
    start: number | null;
    end: number | null;
    seconds: number | null;
    state: StepState;
}
export interface Gantt {
    bars: Bar[];
    /** Milliseconds. */
    from: number;
    to: number;
    ticks: { at: number; label: string }[];
}

/** Steps in the order of their beginning; steps that have not begun come last, as defined. `now`: milliseconds. */
export function ganttOf(job: Job, steps: Step[], now: number): Gantt {
    const from = Date.parse(job.created_at);
    const to = Math.max(job.finished_at ? Date.parse(job.finished_at) : now, from + 1, ...steps.map(lastSign));
    const bars = steps.map((step) => barOf(step, from, to, now)).sort((a, b) => (a.ready ?? a.start ?? 2) - (b.ready ?? b.start ?? 2));
    return { bars, from, to, ticks: ticksOf((to - from) / 1000) };
}

function lastSign(step: Step): number {
    return step.finished_at ? Date.parse(step.finished_at) : 0;
}

function barOf(step: Step, from: number, to: number, now: number): Bar {
    const part = (at: string | null) => (at ? Math.min(1, Math.max(0, (Date.parse(at) - from) / (to - from))) : null);
    const start = part(step.started_at);
    const open = start !== null && !step.finished_at;
    const end = open ? Math.min(1, (now - from) / (to - from)) : part(step.finished_at);
    const seconds = step.started_at
        ? ((step.finished_at ? Date.parse(step.finished_at) : now) - Date.parse(step.started_at)) / 1000
        : null;
    return { step, ready: part(step.ready_at), start, end, seconds, state: step.state };
}

const tickSizes = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** Four to eight ticks at round numbers. */
export function ticksOf(seconds: number): { at: number; label: string }[] {
    const size = tickSizes.find((candidate) => seconds / candidate <= 8) ?? Math.ceil(seconds / 8 / 86400) * 86400;
    const ticks = [];
    for (let i = 1; i * size < seconds * 0.98; i++) ticks.push({ at: (i * size) / seconds, label: tickLabel(i * size) });
    return ticks;
}

function tickLabel(seconds: number): string {
    if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)}m${seconds % 60 ? `${Math.round(seconds % 60)}s` : ''}`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)}h${seconds % 3600 ? `${Math.round((seconds % 3600) / 60)}m` : ''}`;
    return `${Math.round(seconds / 86400)}d`;
}

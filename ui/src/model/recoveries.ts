import type { HistoryEvent } from '../api/shapes';
import { kindWords } from '../text/words';
import { evidenceOf } from './timeline';

/** The end of a worker with the outcome of its tasks, or a single task that was taken from a living worker. */
export interface Recovery {
    id: number;
    at: string;
    worker: string | null;
    lost: HistoryEvent | null;
    tasks: HistoryEvent[];
    others: HistoryEvent[];
    /** The time from the verdict to the last settled task. */
    seconds: number | null;
    facts: [string, string][];
}

/** The rest of a sentence that begins with the worker's name or, without a worker, with "A task". */
export function headline({ lost, worker, tasks, others }: Recovery): string {
    if (lost) return 'was lost';
    const kind = (tasks[0] ?? others[0])?.kind ?? '';
    if (worker && settles.has(kind)) return 'kept a task too long';
    return headlines[kind] ?? `was ${kindWords(kind)}`;
}

const headlines: Record<string, string> = {
    expired: 'did not start before its deadline',
    failed: 'failed',
    late_result_refused: 'came back with a result that was refused',
    stop_requested: 'was asked to stop a task',
    worker_reactivated: 'came back',
};

const settles = new Set(['requeued', 'failed', 'cancelled']);
/** Tasks that were settled later than this after a verdict do not belong to it. */
const window = 60_000;

/** Groups events, in any order, into recoveries, newest first. */
export function recoveriesOf(events: HistoryEvent[]): Recovery[] {
    const recoveries: Recovery[] = [];
    for (const event of events.filter(isOfRecovery).sort((a, b) => a.id - b.id)) {
        if (event.kind === 'worker_lost') recoveries.push(begun(event, event));
        else if (!joined(recoveries, event)) recoveries.push(begun(event, null));
    }
    return recoveries.reverse();
}

/** Excludes events of steps that a person ended: they concern neither a worker nor its tasks. */
const isOfRecovery = (event: HistoryEvent) => Boolean(event.worker || event.task);

function begun(event: HistoryEvent, lost: HistoryEvent | null): Recovery {
    const isTask = !lost && settles.has(event.kind) && Boolean(event.task);
    return {
        id: event.id,
        at: event.at,
        worker: event.worker,
        lost,
        tasks: isTask ? [event] : [],
        others: lost || isTask ? [] : [event],
        seconds: null,
        facts: lost || isTask ? evidenceOf(event.data) : [],
    };
}

function joined(recoveries: Recovery[], event: HistoryEvent): boolean {
    const recovery = recoveries.findLast((one) => one.lost && one.worker === event.worker);
    if (!recovery || Date.parse(event.at) - Date.parse(recovery.at) > window) return false;
    if (settles.has(event.kind) && event.task) {
        recovery.tasks.push(event);
        recovery.seconds = Math.max(0, Date.parse(event.at) - Date.parse(recovery.at)) / 1000;
    } else {
        recovery.others.push(event);
    }
    return true;
}

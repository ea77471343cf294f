import type { HistoryEvent } from '../api/types';
import { kindWords } from '../text/words';
import { evidenceOf } from './timeline';

/** A worker's end and what became of its tasks; or a single task that was taken from a worker that lives. */
export interface Recovery {
    id: number;
    at: string;
    worker: string | null;
    lost: HistoryEvent | null;
    tasks: HistoryEvent[];
    others: HistoryEvent[];
    /** From the verdict to the last task that was settled. */
    seconds: number | null;
    facts: [string, string][];
}

/** What happened, as the rest of a sentence that begins with the worker or, where there is none, with "A task". */
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
/** Tasks settled longer after a verdict than this belong to another story. */
const window = 60_000;

/** Events, in any order, as recoveries, newest first. */
export function recoveriesOf(events: HistoryEvent[]): Recovery[] {
    const recoveries: Recovery[] = [];
    for (const event of events.filter(isOfRecovery).sort((a, b) => a.id - b.id)) {
        if (event.kind === 'worker_lost') recoveries.push(begun(event, event));
        else if (!joined(recoveries, event)) recoveries.push(begun(event, null));
    }
    return recoveries.reverse();
}

/** A person may end a step, too; that concerns neither a worker nor a task of one. */
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

import type { Changed, HistoryEvent } from '../api/shapes';

/** Topics of cached data; each query's key begins with one. */
export type Topic = 'tasks' | 'jobs' | 'workers' | 'queues' | 'schedules' | 'recovery' | 'events' | 'overview' | 'stats' | 'tokens';
export const allTopics: Topic[] = ['tasks', 'jobs', 'workers', 'queues', 'schedules', 'recovery', 'events', 'overview', 'stats', 'tokens'];

export function topicsOfChange(changed: Changed): Topic[] {
    const topics: Topic[] = [];
    if (changed.tasks) topics.push('tasks', 'queues');
    if (changed.jobs) topics.push('jobs');
    if (changed.workers) topics.push('workers');
    if (topics.length) topics.push('overview', 'stats');
    return topics;
}

const recovering = new Set(['worker_lost', 'rolled_over', 'submits_lost', 'requeued', 'failed', 'late_result_refused', 'worker_reactivated', 'repaired', 'rejected', 'stop_requested']);

/** The topics that an event affects. */
export function topicsOfEvent(event: Pick<HistoryEvent, 'kind' | 'task' | 'job' | 'worker'>): Topic[] {
    const topics = new Set<Topic>(['events', 'overview']);
    if (event.task) topics.add('tasks').add('queues');
    if (event.job) topics.add('jobs');
    if (event.worker || event.kind.startsWith('worker_')) topics.add('workers').add('recovery');
    if (recovering.has(event.kind)) topics.add('recovery').add('stats');
    if (event.kind.startsWith('queue_')) topics.add('queues').add('tasks');
    if (event.kind.startsWith('schedule_')) topics.add('schedules');
    if (event.kind.startsWith('token_') || event.kind.startsWith('session_')) topics.add('tokens');
    if (event.kind.startsWith('job_') || event.kind.startsWith('step_')) topics.add('jobs').add('schedules');
    return [...topics];
}

export interface Clock {
    now(): number;
    after(milliseconds: number, call: () => void): unknown;
}

/** Collects topics and reports them together, at most once in `pause()` milliseconds. The first is reported at once. */
export class Coalescer {
    private waiting = new Set<Topic>();
    private last = -Infinity;
    private planned = false;

    constructor(
        private readonly tell: (topics: Topic[]) => void,
        private readonly pause: () => number,
        private readonly clock: Clock,
    ) {}

    add(topics: Topic[]): void {
        for (const topic of topics) this.waiting.add(topic);
        if (this.planned || this.waiting.size === 0) return;
        const wait = this.last + this.pause() - this.clock.now();
        if (wait <= 0) return this.flush();
        this.planned = true;
        this.clock.after(wait, () => this.flush());
    }

    /** Reports at once, regardless of the pause: for a tab that comes to the front. */
    flush(): void {
        this.planned = false;
        if (this.waiting.size === 0) return;
        const topics = [...this.waiting];
        this.waiting.clear();
        this.last = this.clock.now();
        this.tell(topics);
    }
}

/** Types of the page for several answers of the API that it treats alike. */
import type { Event, GraphStep, LogLine, StepLogLine, TaskCounts, WholeEvent } from './types';

export interface Page<T> {
    items: T[];
    next: string | null;
}

export type HistoryEvent = Event & Partial<Pick<WholeEvent, 'task' | 'job'>>;

export type LogPiece = LogLine & Partial<Pick<StepLogLine, 'step' | 'task'>>;

/** A step with or without its place in the graph of its job. */
export type JobStep = Omit<GraphStep, 'depends_on'> & Partial<Pick<GraphStep, 'depends_on'>>;

/** What the live stream says when tasks, jobs or workers have changed. */
export interface Changed {
    tasks: boolean;
    jobs: boolean;
    workers: boolean;
    counts: TaskCounts;
}

import type { TaskStory } from '../api/types';

/** The job to retry instead of an ended task of one of its steps; null: the task can be retried itself, or has not ended. */
export function jobToRetry({ task, step }: Pick<TaskStory, 'step'> & { task: Pick<TaskStory['task'], 'finished_at'> }): string | null {
    return task.finished_at && step && !step.hook ? step.job : null;
}

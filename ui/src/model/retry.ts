import type { TaskStory } from '../api/types';

/** The job to retry in the place of an ended task that belongs to one of its steps; null: the task itself can be retried, or has not ended. */
export function jobToRetry({ task, step }: Pick<TaskStory, 'step'> & { task: Pick<TaskStory['task'], 'finished_at'> }): string | null {
    return task.finished_at && step && !step.hook ? step.job : null;
}

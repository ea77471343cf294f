import { useQuery } from '@tanstack/react-query';
import { part, post } from '../api/client';
import { taskQuery } from '../api/queries';
import type { Attempt, Task, TaskStory } from '../api/types';
import { jobToRetry } from '../model/retry';
import { runsOf } from '../model/timeline';
import { capital, errorText, timelineOf } from '../model/timeline';
import { Card, CopyId, Facts, Failed, Head, Page, ProgressBar, Skeleton, Tags, useTitle } from '../parts/basics';
import { ForceButton } from '../parts/ForceButton';
import { Icon } from '../parts/Icon';
import { JsonView } from '../parts/JsonView';
import { LogView } from '../parts/LogView';
import { OrderButton } from '../parts/Order';
import { StateBadge } from '../parts/StateBadge';
import { TaskTimeline } from '../parts/TaskTimeline';
import { Ago, Lasting, Time } from '../parts/Time';
import { WorkerName } from '../parts/WorkerName';
import { Link } from '../router/router';
import { shortId } from '../text/words';
import { jobPath, taskPath } from './links';

export function TaskPage({ id }: { id: string }) {
    const story = useQuery(taskQuery(id));
    useTitle(story.data ? `Task ${story.data.task.name}` : 'Task');
    if (story.error && !story.data) return <Failed error={story.error} what="This task" retry={() => void story.refetch()} />;
    if (!story.data) return <Skeleton lines={12} height={34} />;
    return <Story story={story.data} />;
}

function Story({ story }: { story: TaskStory }) {
    const { task } = story;
    return (
        <Page
            crumb={
                <>
                    <Link to="/tasks">Tasks</Link>
                    {story.step && (
                        <>
                            {' · step '}
                            <Link to={`${jobPath(story.step.job)}?step=${part(story.step.name)}`}>{story.step.name}</Link> of <Link to={jobPath(story.step.job)}>job {shortId(story.step.job)}</Link>
                        </>
                    )}
                </>
            }
            title={
                <>
                    {task.name || 'script'} <StateBadge state={task.state} />
                </>
            }
            lead={<CopyId id={task.id} whole />}
            actions={<Actions story={story} />}
        >
            {story.waiting && task.state === 'PENDING' && (
                <p className="banner banner-wait">
                    <Icon name="clock" /> {capital(story.waiting.sentence)}
                </p>
            )}
            {task.cancel_requested && !task.finished_at && (
                <p className="banner banner-warn">
                    <Icon name="slash" /> Its worker has been asked to stop it; it stays {task.state} until the worker confirms that the run is dead.
                </p>
            )}
            {task.error && task.finished_at && (
                <div className="banner banner-bad">
                    <Icon name="cross" />
                    <div>
                        <strong>{task.error.code}</strong> {task.error.message}
                    </div>
                </div>
            )}
            {task.progress && task.state === 'RUNNING' && <ProgressBar progress={task.progress} />}
            <div className="columns">
                <div className="column">
                    <Card title="Timeline">
                        <TaskTimeline entries={timelineOf(story)} />
                    </Card>
                    <Card title="Log" className="card-log">
                        <LogView source={{ kind: 'task', id: task.id }} label={`Log of task ${task.name}`} />
                    </Card>
                    {story.attempts.length > 1 && (
                        <Card title="Attempts">
                            <Attempts attempts={story.attempts} />
                        </Card>
                    )}
                </div>
                <div className="column column-side">
                    <Card title="Arguments">
                        <JsonView value={task.args} label="the arguments" />
                    </Card>
                    {task.finished_at && (
                        <Card title={task.error ? 'Error' : 'Result'}>
                            <JsonView value={task.error && task.state !== 'COMPLETED' ? (task.error as never) : task.result} label="the result" />
                        </Card>
                    )}
                    {task.checkpoint !== null && (
                        <Card title="Checkpoint">
                            <JsonView value={task.checkpoint} label="the checkpoint" />
                        </Card>
                    )}
                    <Card title="About">
                        <About task={task} />
                    </Card>
                    {task.spec !== null && (
                        <Card title="Specification">
                            <JsonView value={task.spec} label="the specification" />
                        </Card>
                    )}
                    {Object.keys(task.policy).length > 0 && (
                        <Card title="Policy">
                            <JsonView value={task.policy} label="the policy" />
                        </Card>
                    )}
                </div>
            </div>
        </Page>
    );
}

const cancelWords: Record<string, string> = {
    cancelled: 'The task is cancelled.',
    requested: 'Its worker has been asked to stop it, and will confirm.',
    already: 'The task was already cancelled.',
    finished: 'The task had already ended; nothing was changed.',
};

function Actions({ story }: { story: TaskStory }) {
    const { task } = story;
    const order = `/tasks/${part(task.id)}`;
    const job = jobToRetry(story);
    if (job)
        return (
            <Link className="button" to={jobPath(job)} title="A retry of this task alone would not reach its job. Retry the job instead.">
                <Icon name="retry" /> Retry its job
            </Link>
        );
    if (task.finished_at)
        return (
            <OrderButton
                label="Retry"
                icon="retry"
                primary={task.state !== 'COMPLETED'}
                confirm={{ title: 'Retry this task?', text: 'An ended task never changes. This submits a new task with the same arguments, due at once.' }}
                give={async () => {
                    const { id } = await post<{ id: string }>(`${order}/retry`);
                    return { text: 'A copy was submitted.', link: { to: taskPath(id), text: 'Show it' } };
                }}
            />
        );
    return (
        <>
            <OrderButton
                label="Cancel"
                icon="slash"
                danger
                reason="optional"
                confirm={{ title: 'Cancel this task?', text: 'A waiting task ends at once. A running task ends when its worker has confirmed that the run is dead.', button: 'Cancel the task' }}
                give={async (reason) => {
                    const { status } = await post<{ status: string }>(`${order}/cancel`, reason ? { reason } : {});
                    return { text: cancelWords[status] ?? status, bad: status === 'finished' };
                }}
            />
            <ForceButton task={task} />
        </>
    );
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
    return (
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Attempts">
            <table className="table table-tight">
                <Head columns={['#', 'End', 'Started', ['Duration', 'number'], 'Worker', 'Error']} />
                <tbody>
                    {attempts.map((attempt) => (
                        <tr key={attempt.number}>
                            <th scope="row">{attempt.number}</th>
                            <td>
                                <StateBadge state={attempt.end} quiet />
                            </td>
                            <td>
                                <Time at={attempt.started_at} exact />
                            </td>
                            <td className="number">
                                <Lasting from={attempt.started_at} to={attempt.finished_at} />
                            </td>
                            <td>{attempt.worker && <WorkerName id={attempt.worker} />}</td>
                            <td>{attempt.error && errorText(attempt.error)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function About({ task }: { task: Task }) {
    return (
        <Facts
            facts={[
                ['Queue', <Link to={`/tasks?queue=${part(task.queue)}`}>{task.queue}</Link>],
                ['Priority', task.priority],
                ['Tags', task.tags.length ? <Tags tags={task.tags} /> : null],
                ['Submitted', <Ago at={task.created_at} />],
                ['Due', task.run_at && task.run_at !== task.created_at ? <Time at={task.run_at} /> : null],
                ['Deadline', task.deadline && <Time at={task.deadline} />],
                ['Runs', `${runsOf(task)}${task.crashes ? `, ${task.crashes} cut short` : ''}${task.requeues ? `, ${task.requeues} requeued` : ''}`],
                ['Worker', task.worker && <WorkerName id={task.worker} />],
                ['Lease', task.lease],
                ['Concurrency key', task.concurrency && `${task.concurrency.key} (requested limit ${task.concurrency.limit})`],
                ['Idempotency key', task.idempotency_key],
                ['Retry of', task.retry_of && <Link to={taskPath(task.retry_of)}>{shortId(task.retry_of)}</Link>],
            ]}
        />
    );
}

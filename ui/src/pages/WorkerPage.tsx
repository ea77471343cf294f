import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { recoveryQuery, snapshotsQuery, workerQuery } from '../api/queries';
import type { WorkerState, WorkerStory } from '../api/types';
import { Card, CopyId, Facts, Failed, Head, Page, Skeleton, Tags, useTitle } from '../parts/basics';
import { History } from '../parts/History';
import { Plot } from '../parts/Plot';
import { ConditionBadge, conditionOf, StateBadge } from '../parts/StateBadge';
import { Ago, Time } from '../parts/Time';
import { WorkerOrders } from '../parts/WorkerOrders';
import { Link } from '../router/router';
import { megabytesText } from '../text/number';
import { shortId } from '../text/words';
import { taskPath } from './links';
import { Slots } from './WorkersPage';

export function WorkerPage({ id }: { id: string }) {
    const story = useQuery(workerQuery(id));
    useTitle(story.data ? `Worker ${story.data.worker.name}` : 'Worker');
    if (story.error && !story.data) return <Failed error={story.error} what="This worker" retry={() => void story.refetch()} />;
    if (!story.data) return <Skeleton lines={10} height={34} />;
    return <Story story={story.data} />;
}

function Story({ story }: { story: WorkerStory }) {
    const { worker, tasks, machine, events } = story;
    const seen = useQuery(recoveryQuery).data?.workers.find((one) => one.id === worker.id);
    return (
        <Page
            crumb={<Link to="/workers">Workers</Link>}
            title={
                <>
                    {worker.name} <ConditionBadge condition={conditionOf(worker)} />
                </>
            }
            lead={<CopyId id={worker.id} whole />}
            actions={<WorkerOrders worker={worker} />}
        >
            <div className="columns">
                <div className="column">
                    <SnapshotPlots id={worker.id} />
                    <Card title="Claimed and running tasks">
                        {tasks.length === 0 ? (
                            <p className="faint card-text">It holds no task.</p>
                        ) : (
                            <table className="table table-tight">
                                <Head columns={['State', 'Task', 'Id']} />
                                <tbody>
                                    {tasks.map((task) => (
                                        <tr key={task.id}>
                                            <td>
                                                <StateBadge state={task.state} />
                                            </td>
                                            <th scope="row">
                                                <Link to={taskPath(task.id)}>{task.name || 'script'}</Link>
                                            </th>
                                            <td>
                                                <code title={task.id}>{shortId(task.id)}</code>
                                            </td>
                                        </tr>
                                    ))}
                                </tbody>
                            </table>
                        )}
                    </Card>
                </div>
                <div className="column column-side">
                    <Card title="About">
                        <Facts
                            facts={[
                                ['Last heartbeat', worker.last_heartbeat && <Ago at={worker.last_heartbeat} />],
                                ['Evidence', seen ? `${seen.evidence}: ${seen.how}` : null],
                                ['Worker slots', <Slots worker={worker} />],
                                ['Queues', <Tags tags={worker.queues} />],
                                ['Tags', worker.tags.length ? <Tags tags={worker.tags} /> : null],
                                ['Host', `${worker.host}, pid ${worker.pid}`],
                                ['Memory', machine && megabytesText(machine.memory_mb)],
                                ['Processor', machine && `${Math.round(machine.cpu_percent)}%`],
                                ['Machine load', machine && machine.machine_load.toFixed(2)],
                                ['Version', worker.version],
                                ['Registered', <Time at={worker.registered_at} />],
                            ]}
                        />
                    </Card>
                    <Card title="Events">
                        {events.length ? <History events={[...events].sort((a, b) => b.id - a.id)} /> : <p className="faint card-text">No incidents.</p>}
                    </Card>
                </div>
            </div>
        </Page>
    );
}

function SnapshotPlots({ id }: { id: string }) {
    const snapshots = useQuery(snapshotsQuery(id));
    const data = useMemo(() => [...(snapshots.data ?? [])].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)), [snapshots.data]);
    const times = useMemo(() => data.map((one) => Date.parse(one.at) / 1000), [data]);
    const line = (label: string, color: string, key: keyof Omit<WorkerState, 'at'>) => ({ label, color, kind: 'line' as const, values: data.map((one) => one[key]) });
    const slots = useMemo(() => [line('running', '--plot-running', 'running'), line('slots', '--plot-cancelled', 'capacity')], [data]);
    const processor = useMemo(() => [line('processor', '--plot-completed', 'cpu_percent')], [data]);
    const memory = useMemo(() => [line('memory', '--plot-recovered', 'memory_mb')], [data]);
    if (snapshots.error && !snapshots.data) return <Failed error={snapshots.error} what="Its snapshots" retry={() => void snapshots.refetch()} />;
    if (snapshots.data && data.length < 2)
        return (
            <Card title="Running tasks">
                <p className="faint card-text">No data yet. A worker reports its running tasks, processor and memory every few seconds.</p>
            </Card>
        );
    return (
        <>
            <Card title="Running tasks">
                <Plot label="Number of running tasks and worker slots" times={times} series={slots} height={150} unit={(value) => String(Math.round(value))} floor={2} />
            </Card>
            <div className="pair">
                <Card title="Processor">
                    <Plot label="Processor usage in percent" times={times} series={processor} height={130} unit={(value) => `${Math.round(value)}%`} floor={10} />
                </Card>
                <Card title="Memory">
                    <Plot label="Memory in use" times={times} series={memory} height={130} unit={(value) => `${Math.round(value)} MB`} floor={16} />
                </Card>
            </div>
        </>
    );
}

import { useQuery } from '@tanstack/react-query';
import { recoveryQuery, workersQuery } from '../api/queries';
import type { Worker } from '../api/types';
import { Card, Command, Empty, Head, Loaded, Page, Tags, useTitle } from '../parts/basics';
import { ConditionBadge, conditionOf } from '../parts/StateBadge';
import { Ago } from '../parts/Time';
import { WorkerOrders } from '../parts/WorkerOrders';
import { Link, navigate, useSearch } from '../router/router';
import { workerPath } from './links';

export function WorkersPage() {
    useTitle('Workers');
    const all = new URLSearchParams(useSearch()).get('all') === 'true';
    const workers = useQuery(workersQuery(all));
    const evidence = useQuery(recoveryQuery).data?.workers;
    return (
        <Page
            title="Workers"
            actions={
                <label className="check">
                    <input type="checkbox" checked={all} onChange={() => navigate(all ? '/workers' : '/workers?all=true', true)} /> include workers that have left
                </label>
            }
        >
            <Card>
                <Loaded query={workers} what="The list of workers" lines={5} empty={<NoWorkers />}>
                    {(all) => <WorkerTable workers={all} how={(id) => evidence?.find((one) => one.id === id)?.how ?? null} />}
                </Loaded>
            </Card>
        </Page>
    );
}

function NoWorkers() {
    return (
        <Empty icon="workers" title="No workers">
            <p>Start one on any machine with access to the store. It runs tasks, and recovers the tasks of dead workers:</p>
            <Command>holdfast worker --name web-1</Command>
        </Empty>
    );
}

function WorkerTable({ workers, how }: { workers: Worker[]; how: (id: string) => string | null }) {
    return (
        <table className="table cards">
            <Head columns={['Name', 'Status', 'Last heartbeat', 'Evidence', 'Slots', 'Queues, tags', 'Host']} actions />
            <tbody>
                {workers.map((worker) => (
                    <tr key={worker.id}>
                        <th scope="row" data-label="Name">
                            <Link to={workerPath(worker.id)} className="row-link">
                                {worker.name}
                            </Link>
                        </th>
                        <td data-label="Status">
                            <ConditionBadge condition={conditionOf(worker)} />
                        </td>
                        <td data-label="Last heartbeat">
                            {worker.last_heartbeat && <Ago at={worker.last_heartbeat} />}
                        </td>
                        <td data-label="Evidence">{how(worker.id) ?? <span className="faint">{worker.status === 'inactive' ? 'has left' : '–'}</span>}</td>
                        <td data-label="Slots">
                            <Slots worker={worker} />
                        </td>
                        <td data-label="Queues, tags">
                            <Tags tags={[...worker.queues.map((queue) => `queue ${queue}`), ...worker.tags]} />
                        </td>
                        <td data-label="Host">
                            <span>
                                {worker.host} <span className="faint">pid {worker.pid}</span>
                            </span>
                        </td>
                        <td className="row-actions">
                            <WorkerOrders worker={worker} small />
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

export function Slots({ worker }: { worker: Worker }) {
    const taken = worker.running + worker.claimed;
    return (
        <span className="inline-progress">
            <span className="meter">
                <span className="meter-fill" style={{ width: `${worker.capacity ? Math.min(1, taken / worker.capacity) * 100 : 0}%` }} />
            </span>
            {taken}/{worker.capacity}
        </span>
    );
}

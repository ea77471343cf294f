import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../api/client';
import { recoveryQuery, staleQuery } from '../api/queries';
import type { HistoryEvent } from '../api/shapes';
import type { Evidence as Kind, Recovery, Replica, ServiceNote, ServicePass, StaleTask } from '../api/types';
import { headline, recoveriesOf } from '../model/recoveries';
import { Card, Choice, Empty, Failed, Head, Loaded, Page, Skeleton, useTitle } from '../parts/basics';
import { Evidence, History } from '../parts/History';
import { Icon } from '../parts/Icon';
import { OrderButton } from '../parts/Order';
import { StateBadge } from '../parts/StateBadge';
import { Ago, Time } from '../parts/Time';
import { WorkerName } from '../parts/WorkerName';
import { Link } from '../router/router';
import { durationText } from '../text/duration';
import { countText, plural } from '../text/number';
import { kindWords, shortId, withoutIds } from '../text/words';
import { taskPath } from './links';

export function RecoveryPage() {
    useTitle('Recovery');
    const status = useQuery(recoveryQuery);
    return (
        <Page title="Recovery" lead="Sweeping processes settle the tasks of dead and frozen workers, based on evidence." actions={<SweepNow />}>
            {status.error && !status.data ? <Failed error={status.error} what="The state of recovery" retry={() => void status.refetch()} /> : <Status status={status.data} />}
        </Page>
    );
}

function SweepNow() {
    return (
        <OrderButton
            label="Sweep now"
            icon="recovery"
            confirm={{ title: 'Sweep now?', text: 'This runs one pass of every service. It acts on certain evidence (a process that is gone, a host that has rebooted), deadlines and retention. Silent workers are left to the sweepers that watch them.' }}
            give={async () => {
                const { services } = await post<{ services: ServicePass[] }>('/recovery/sweep');
                const did = services.flatMap((service) => Object.entries(service).filter(([, count]) => typeof count === 'number' && count > 0).map(([what, count]) => `${countText(count as number)} ${kindWords(what)}`));
                const failed = services.filter((service) => service.failure);
                if (failed.length) return { text: `${failed.map((service) => `${service.service}: ${service.failure}`).join('; ')}`, bad: true };
                return { text: did.length ? `Swept: ${did.join(', ')}.` : 'Swept: nothing to do.' };
            }}
        />
    );
}

function Status({ status }: { status: Recovery | undefined }) {
    return (
        <div className="columns">
            <div className="column">
                <Card title="Stale tasks">
                    <Stale />
                </Card>
                <Card title="Recent recoveries">{status ? <Recoveries events={status.events} /> : <Skeleton lines={6} />}</Card>
            </div>
            <div className="column column-side">
                <Card title="Sweeper">{status ? <Sweepers status={status} /> : <Skeleton lines={3} />}</Card>
                <Card title="Workers by evidence">{status ? <ByEvidence status={status} /> : <Skeleton lines={3} />}</Card>
                <Card title="Services">{status ? <Services services={status.services} /> : <Skeleton lines={8} />}</Card>
            </div>
        </div>
    );
}

function Sweepers({ status }: { status: Recovery }) {
    return (
        <div className="card-text">
            {status.sweeper ? (
                <p>
                    <span className="state is-fresh state-quiet">
                        <Icon name="pulse" size={14} /> sweeps
                    </span>{' '}
                    {withoutIds(status.sweeper)}
                </p>
            ) : (
                <p className="banner banner-bad">
                    <Icon name="warning" /> No process sweeps, so tasks of dead workers are not recovered. Start a worker or a server without --no-sweep.
                </p>
            )}
            {status.replicas.length > 0 && (
                <>
                    <h3>Servers</h3>
                    <ul className="plain-list">
                        {status.replicas.map((replica) => (
                            <ReplicaLine key={replica.id} replica={replica} />
                        ))}
                    </ul>
                </>
            )}
        </div>
    );
}

function ReplicaLine({ replica }: { replica: Replica }) {
    return (
        <li>
            <span>
                {replica.host} <span className="faint">pid {replica.pid}, {replica.address}, version {replica.version}</span>
            </span>
            <span className="faint">
                beat <Ago at={replica.last_heartbeat} />
                {replica.sweeping ? ', sweeping' : ''}
            </span>
        </li>
    );
}

const evidenceWords: Record<Kind, string> = {
    alive: 'its heartbeats arrive',
    silent: 'its heartbeat number stands still',
    unregistered: 'it holds tasks, but the store has no row for it',
    disconnected: 'no session holds its lock',
    rebooted: 'its host has another boot id',
    exited: 'its process is gone',
};

function ByEvidence({ status }: { status: Recovery }) {
    return (
        <dl className="facts card-text">
            {(Object.keys(evidenceWords) as Kind[]).map((kind) => (
                <div key={kind}>
                    <dt title={evidenceWords[kind]}>{kind}</dt>
                    <dd className={kind !== 'alive' && status.by_evidence[kind] ? 'text-bad' : ''}>{countText(status.by_evidence[kind] ?? 0)}</dd>
                </div>
            ))}
        </dl>
    );
}

function Services({ services }: { services: ServiceNote[] }) {
    if (services.length === 0) return <p className="faint card-text">No service has run yet.</p>;
    return (
        <table className="table table-tight">
            <Head columns={['Service', 'Last run', 'Did']} />
            <tbody>
                {services.map((service) => {
                    const did = Object.entries(service.did ?? {}).filter(([, count]) => count > 0);
                    return (
                        <tr key={`${service.service} ${service.who}`}>
                            <th scope="row">{service.service}</th>
                            <td title={withoutIds(service.who)}>{service.at ? <Ago at={service.at} /> : '–'}</td>
                            <td>
                                {service.failure ? (
                                    <span className="text-bad">
                                        <Icon name="warning" size={13} /> {service.failure}
                                    </span>
                                ) : did.length ? (
                                    did.map(([what, count]) => `${kindWords(what)}: ${countText(count)}`).join(', ')
                                ) : (
                                    <span className="faint">nothing</span>
                                )}
                            </td>
                        </tr>
                    );
                })}
            </tbody>
        </table>
    );
}

function Recoveries({ events }: { events: HistoryEvent[] }) {
    const recoveries = recoveriesOf(events);
    if (recoveries.length === 0)
        return (
            <Empty icon="recovery" title="No recoveries">
                When a worker dies, this list shows the evidence, what became of its tasks, and how long that took.
            </Empty>
        );
    return (
        <ol className="recoveries">
            {recoveries.map((recovery) => (
                <li key={recovery.id}>
                    <p className="recovery-head">
                        <Icon name={recovery.lost ? 'bolt' : 'retry'} size={14} />
                        <strong>{recovery.worker ? <WorkerName id={recovery.worker} /> : 'A task'}</strong> {headline(recovery)}
                        <span className="faint">
                            {' '}
                            <Time at={recovery.at} exact />
                        </span>
                    </p>
                    {recovery.lost && <p className="recovery-message">{withoutIds(recovery.lost.message)}</p>}
                    <Evidence pairs={recovery.facts} />
                    {recovery.tasks.length > 0 && (
                        <p>
                            {plural(recovery.tasks.length, 'task')} settled {recovery.seconds !== null && <>within {durationText(recovery.seconds)} of the verdict</>}
                            {': '}
                            {recovery.tasks.slice(0, 8).map((event, index) => (
                                <span key={event.id}>
                                    {index > 0 && ', '}
                                    <Link to={taskPath(event.task!)}>{shortId(event.task!)}</Link> {kindWords(event.kind)}
                                </span>
                            ))}
                            {recovery.tasks.length > 8 && ` and ${recovery.tasks.length - 8} more`}
                        </p>
                    )}
                    {recovery.others.length > 0 && <History events={recovery.others} />}
                </li>
            ))}
        </ol>
    );
}

const thresholds = [
    ['10s', '10 s'],
    ['60s', '1 min'],
    ['5m', '5 min'],
    ['15m', '15 min'],
] as const;
type Threshold = (typeof thresholds)[number][0];

function Stale() {
    const [threshold, setThreshold] = useState<Threshold>('60s');
    const stale = useQuery(staleQuery(threshold));
    const settle = (word: string, said: (settled: number) => string) => async () => {
        const { settled, asked } = await post<{ settled: number; asked: number }>(`/recovery/${word}`, { threshold });
        return { text: `${said(settled)}${asked ? ` Living workers were asked to stop ${plural(asked, 'task')}.` : ''}` };
    };
    return (
        <>
            <div className="card-tools">
                <span>No sign of life for longer than</span>
                <Choice label="Threshold" options={thresholds} value={threshold} onChange={setThreshold} />
            </div>
            <Loaded query={stale} what="The stale tasks" lines={2} empty={<p className="all-well"><Icon name="check" /> No task is stale.</p>}>
                {(tasks) => <StaleTable tasks={tasks} />}
            </Loaded>
            <div className="card-tools card-tools-end">
                <OrderButton label="Requeue claimed" small give={settle('requeue-claimed', (settled) => `${plural(settled, 'task')} returned to PENDING.`)} confirm={{ title: 'Requeue stale CLAIMED tasks?', text: `CLAIMED tasks without a sign of life for longer than ${threshold} return to PENDING. This costs no attempt.` }} />
                <OrderButton label="Fail running" small danger give={settle('fail-running', (settled) => `${plural(settled, 'task')} ended as crashed.`)} confirm={{ title: 'End stale RUNNING tasks?', text: `RUNNING tasks without a sign of life for longer than ${threshold} end as WORKER_CRASHED, or run again if their policy allows it. A living worker is only asked to stop them.`, button: 'End them' }} />
            </div>
        </>
    );
}

function StaleTable({ tasks }: { tasks: StaleTask[] }) {
    return (
        <table className="table cards">
            <Head columns={['State', 'Task', 'Quiet for', 'Worker', 'Worker is']} />
            <tbody>
                {tasks.map((task) => (
                    <tr key={task.id}>
                        <td data-label="State">
                            <StateBadge state={task.state} />
                        </td>
                        <th scope="row" data-label="Task">
                            <Link to={taskPath(task.id)}>{task.name || 'script'}</Link>
                        </th>
                        <td data-label="Quiet for">{durationText(task.quiet_seconds)}</td>
                        <td data-label="Worker">
                            {task.worker_name ?? '–'} <span className="faint">{task.host}</span>
                        </td>
                        <td data-label="Worker is">{task.worker_is_alive ? 'alive' : <span className="text-bad">gone</span>}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { eventsQuery, overviewQuery, statsQuery } from '../api/queries';
import type { Concern, Overview, Percentiles, Stats } from '../api/types';
import { Card, Choice, Command, Empty, Failed, Head, Page, Skeleton, useTitle } from '../parts/basics';
import { History } from '../parts/History';
import { Icon, type IconName } from '../parts/Icon';
import { Plot } from '../parts/Plot';
import { stateIcons } from '../parts/StateBadge';
import { Lasting } from '../parts/Time';
import { Link } from '../router/router';
import { serverNow } from '../live/clock';
import { durationText } from '../text/duration';
import { countText, plural, shortCount } from '../text/number';
import { attentionPath, taskPath } from './links';

/** The state of everything, with the items that need a person first. */
export function OverviewPage() {
    useTitle('Overview');
    const overview = useQuery(overviewQuery);
    if (overview.error && !overview.data) return <Failed error={overview.error} what="The overview" retry={() => void overview.refetch()} />;
    const data = overview.data;
    return (
        <Page title="Overview">
            <AttentionList data={data} />
            <Tiles data={data} />
            <div className="columns">
                <div className="column">
                    <Throughput />
                </div>
                <div className="column column-side">
                    <Crew data={data} />
                    <Queues data={data} />
                    <Recent />
                </div>
            </div>
        </Page>
    );
}

const attentionIcons: Record<string, IconName> = {
    approval: 'user',
    queue_paused: 'pause',
    task_failed: 'cross',
    job_failed: 'cross',
    worker_stale: 'pulse',
    worker_unregistered: 'pulse',
    no_workers: 'workers',
    unmatched: 'search',
    nobody_sweeps: 'recovery',
    schedule_problem: 'schedules',
};

function AttentionList({ data }: { data: Overview | undefined }) {
    if (!data) return <div className="attention-place" aria-hidden="true" />;
    if (data.attention.length === 0)
        return (
            <p className="all-well" role="status">
                <Icon name="check" /> Nothing needs your attention.
            </p>
        );
    return (
        <section aria-labelledby="attention">
            <h2 id="attention" className="unseen">
                Needs your attention
            </h2>
            <ul className="attention">
                {data.attention.map((one) => (
                    <li key={`${one.kind} ${one.link?.id ?? ''} ${one.text}`}>
                        <AttentionLine one={one} />
                    </li>
                ))}
            </ul>
        </section>
    );
}

function AttentionLine({ one }: { one: Concern }) {
    return (
        <Link to={attentionPath(one)} className={`attention-line attention-${one.severity}`}>
            <Icon name={attentionIcons[one.kind] ?? 'warning'} />
            <span className="attention-word">{one.severity}</span>
            <span className="attention-text">{one.text}</span>
            <Icon name="right" size={14} />
        </Link>
    );
}

function Tiles({ data }: { data: Overview | undefined }) {
    const tasks = data?.tasks;
    const jobs = data?.jobs;
    return (
        <section aria-label="Tasks and jobs now" className="tiles">
            <Tile name="Running" state="RUNNING" count={tasks && tasks.running + tasks.claimed} to="/tasks?state=CLAIMED,RUNNING" note={data && `of ${plural(data.workers.capacity, 'worker slot')}`} />
            <Tile
                name="Waiting"
                state="PENDING"
                count={tasks?.pending}
                to="/tasks?state=PENDING"
                note={
                    data &&
                    (data.oldest_waiting ? (
                        <>
                            oldest for <Lasting from={new Date(serverNow() - data.oldest_waiting.seconds * 1000).toISOString()} to={null} />
                        </>
                    ) : (
                        'none can run now'
                    ))
                }
                noteTo={data?.oldest_waiting ? taskPath(data.oldest_waiting.task) : undefined}
            />
            <Tile name="Failed" state="FAILED" count={tasks && tasks.failed + tasks.expired} to="/tasks?state=FAILED,EXPIRED" note={tasks && (tasks.expired ? `${countText(tasks.expired)} of them expired` : 'in the kept history')} />
            <Tile name="Completed" state="COMPLETED" count={tasks?.completed} to="/tasks?state=COMPLETED" note={tasks && `${countText(tasks.cancelled)} cancelled`} />
            <Tile name="Jobs in progress" state={jobs?.paused ? 'PAUSED' : 'RUNNING'} count={jobs && jobs.running + jobs.pending + jobs.paused} to="/jobs?state=PENDING,RUNNING,PAUSED" note={jobs && (jobs.paused ? `${countText(jobs.paused)} paused` : `${countText(jobs.failed)} failed in total`)} />
        </section>
    );
}

interface TileProps {
    name: string;
    state: 'RUNNING' | 'PENDING' | 'FAILED' | 'COMPLETED' | 'PAUSED';
    count: number | undefined;
    to: string;
    note: React.ReactNode;
    noteTo?: string | undefined;
}

function Tile({ name, state, count, to, note, noteTo }: TileProps) {
    return (
        <div className={`tile is-${state} ${count === 0 ? 'tile-none' : ''}`}>
            <Link to={to} className="tile-main">
                <span className="tile-name">
                    <Icon name={stateIcons[state]} size={14} /> {name}
                </span>
                <span className="tile-count">{count === undefined ? '\u2007' : countText(count)}</span>
            </Link>
            <span className="tile-note faint">{noteTo ? <Link to={noteTo}>{note}</Link> : (note ?? '\u00a0')}</span>
        </div>
    );
}

const windows = [
    ['15m', '15 min'],
    ['1h', '1 h'],
    ['6h', '6 h'],
    ['24h', '1 d'],
    ['168h', '7 d'],
] as const;
type Window = (typeof windows)[number][0];

function Throughput() {
    const [window, setWindow] = useState<Window>('1h');
    const stats = useQuery(statsQuery(window));
    return (
        <>
            <Card title="Ended tasks" aside={<Choice label="Window" options={windows} value={window} onChange={setWindow} />}>
                {stats.data ? <EndedPlot stats={stats.data} /> : stats.error ? <Failed error={stats.error} what="The statistics" retry={() => void stats.refetch()} /> : <div className="plot-place plot-place-tall" />}
            </Card>
            <Card title="Durations" aside={stats.data && <span className="faint">{plural(stats.data.ended, 'task')} ended{stats.data.complete ? '' : ', only the newest counted'}</span>}>
                {stats.data ? <Latency stats={stats.data} /> : <Skeleton lines={4} height={32} />}
            </Card>
        </>
    );
}

function EndedPlot({ stats }: { stats: Stats }) {
    const { buckets } = stats;
    const times = useMemo(() => buckets.map((bucket) => Date.parse(bucket.at) / 1000), [buckets]);
    const series = useMemo(() => {
        const of = (key: 'completed' | 'failed' | 'cancelled' | 'expired') => buckets.map((bucket) => bucket[key]);
        return [
            { label: 'completed', color: '--plot-completed', kind: 'bars' as const, values: of('completed') },
            { label: 'failed', color: '--plot-failed', kind: 'bars' as const, values: buckets.map((bucket) => bucket.failed + bucket.expired) },
            { label: 'cancelled', color: '--plot-cancelled', kind: 'bars' as const, values: of('cancelled') },
        ];
    }, [buckets]);
    const recovered = useMemo(() => [{ label: 'recovered', color: '--plot-recovered', kind: 'bars' as const, values: buckets.map((bucket) => bucket.recovered) }], [buckets]);
    const sum = (key: 'completed' | 'failed' | 'recovered') => buckets.reduce((total, bucket) => total + bucket[key], 0);
    const whole = (value: number) => (Number.isInteger(value) ? shortCount(value) : '');
    return (
        <>
            <Plot label={`Tasks that ended: ${sum('completed')} completed, ${sum('failed')} failed`} times={times} series={series} height={190} unit={whole} />
            <h3 className="plot-title">Recoveries</h3>
            <Plot label={`Recoveries: ${sum('recovered')} workers lost and tasks recovered`} times={times} series={recovered} height={90} unit={whole} />
        </>
    );
}

const shares = ['p50', 'p95', 'p99', 'max'] as const;

function Latency({ stats }: { stats: Stats }) {
    if (stats.ended === 0) return <p className="faint card-text">No task ended in this period.</p>;
    const row = (name: string, values: Percentiles | null) => (
        <tr>
            <th scope="row">{name}</th>
            {shares.map((share) => (
                <td key={share} className="number">
                    {values?.[share] == null ? '–' : durationText(values[share])}
                </td>
            ))}
        </tr>
    );
    return (
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Durations of tasks">
            <table className="table table-tight">
                <Head columns={['Seconds']} />
                <tbody>
                    {row('waiting', stats.wait)}
                    {row('running', stats.run)}
                </tbody>
            </table>
            <table className="table table-tight">
                <Head columns={['Task', ['completed', 'number'], ['failed', 'number'], ['p50', 'number'], ['p95', 'number']]} />
                <tbody>
                    {stats.names.slice(0, 10).map((one) => (
                        <tr key={one.name}>
                            <th scope="row">
                                <Link to={`/tasks?name=${encodeURIComponent(one.name)}`}>{one.name}</Link>
                            </th>
                            <td className="number">{countText(one.completed)}</td>
                            <td className={`number ${one.failed ? 'text-bad' : ''}`}>{countText(one.failed)}</td>
                            <td className="number">{one.run?.p50 == null ? '–' : durationText(one.run.p50)}</td>
                            <td className="number">{one.run?.p95 == null ? '–' : durationText(one.run.p95)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Crew({ data }: { data: Overview | undefined }) {
    if (!data) return <Card title="Workers"><Skeleton lines={2} /></Card>;
    const { fresh, stale, draining, capacity, busy } = data.workers;
    const share = capacity ? Math.min(1, busy / capacity) : 0;
    return (
        <Card title="Workers" aside={<Link to="/workers">all</Link>}>
            {fresh + stale + draining === 0 ? (
                <Empty icon="workers" title="No workers">
                    <p>Tasks wait for a worker. Start one:</p>
                    <Command>holdfast worker</Command>
                </Empty>
            ) : (
                <div className="card-text">
                    <p className="crew-line">
                        <strong>{countText(busy)}</strong> of {plural(capacity, 'worker slot')} in use
                    </p>
                    <div className="meter" role="meter" aria-label="Worker slots in use" aria-valuemin={0} aria-valuemax={capacity} aria-valuenow={busy}>
                        <div className="meter-fill" style={{ width: `${share * 100}%` }} />
                    </div>
                    <p className="crew-words">
                        <span className="is-fresh word">{fresh} fresh</span>
                        {stale > 0 && <span className="is-stale word">{stale} stale</span>}
                        {draining > 0 && <span className="is-draining word">{draining} draining</span>}
                    </p>
                </div>
            )}
        </Card>
    );
}

function Queues({ data }: { data: Overview | undefined }) {
    if (!data?.queues.length) return null;
    const busiest = [...data.queues].sort((a, b) => b.pending + b.in_flight - a.pending - a.in_flight).slice(0, 6);
    return (
        <Card title="Queues" aside={<Link to="/queues">all</Link>}>
            <table className="table table-tight">
                <Head columns={['Queue', ['waiting', 'number'], ['claimed or running', 'number']]} />
                <tbody>
                    {busiest.map((queue) => (
                        <tr key={queue.name}>
                            <th scope="row">
                                <Link to={`/tasks?queue=${encodeURIComponent(queue.name)}`}>{queue.name}</Link>
                                {queue.paused && (
                                    <span className="state is-PAUSED state-quiet">
                                        <Icon name="pause" size={13} /> paused
                                    </span>
                                )}
                            </th>
                            <td className="number">{countText(queue.pending)}</td>
                            <td className="number">{countText(queue.in_flight)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </Card>
    );
}

function Recent() {
    const events = useQuery(eventsQuery(8));
    return (
        <Card title="Recent events">
            {events.data ? (
                events.data.length ? (
                    <History events={events.data} evidence={false} />
                ) : (
                    <p className="faint card-text">No incidents. Tasks that run normally do not appear here.</p>
                )
            ) : (
                <Skeleton lines={6} />
            )}
        </Card>
    );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, part, post, remove } from '../api/client';
import { schedulesQuery } from '../api/queries';
import type { Schedule } from '../api/types';
import { timingText } from '../model/timing';
import { Card, Command, Empty, Failed, Page, Skeleton, useTitle } from '../parts/basics';
import { Icon } from '../parts/Icon';
import { JsonView } from '../parts/JsonView';
import { OrderButton } from '../parts/Order';
import { StateBadge } from '../parts/StateBadge';
import { Ago, Time } from '../parts/Time';
import { Link } from '../router/router';
import { jobPath } from './links';

export function SchedulesPage() {
    useTitle('Schedules');
    const schedules = useQuery(schedulesQuery);
    if (schedules.error && !schedules.data) return <Failed error={schedules.error} what="The list of schedules" retry={() => void schedules.refetch()} />;
    return (
        <Page title="Schedules" lead="A schedule starts jobs repeatedly. Times are local, with the time in the schedule's zone beside them.">
            {!schedules.data ? (
                <Card>
                    <Skeleton lines={6} height={44} />
                </Card>
            ) : schedules.data.length === 0 ? (
                <Card>
                    <NoSchedules />
                </Card>
            ) : (
                schedules.data.map((schedule) => <ScheduleCard key={schedule.name} schedule={schedule} />)
            )}
        </Page>
    );
}

function NoSchedules() {
    return (
        <Empty icon="schedules" title="There are no schedules yet">
            <p>
                Write them into the section <code>schedules</code> of <code>holdfast.yaml</code>, then:
            </p>
            <Command>holdfast schedules apply</Command>
        </Empty>
    );
}

function ScheduleCard({ schedule }: { schedule: Schedule }) {
    const [open, setOpen] = useState(false);
    const path = `/schedules/${part(schedule.name)}`;
    const order = async (word: 'pause' | 'resume') => {
        await post(`${path}/${word}`);
        return { text: word === 'pause' ? `Schedule ${schedule.name} is paused: it starts no jobs.` : `Schedule ${schedule.name} starts jobs again.` };
    };
    const runNow = async () => {
        const { id } = await post<{ id: string }>(`${path}/run`);
        return { text: 'A job was started.', link: { to: jobPath(id), text: 'Show it' } };
    };
    return (
        <Card
            title={
                <>
                    {schedule.name}
                    {schedule.paused && (
                        <span className="state is-PAUSED">
                            <Icon name="pause" size={14} /> paused
                        </span>
                    )}
                </>
            }
            aside={
                <>
                    <OrderButton label="Run now" icon="play" small give={runNow} confirm={{ title: `Run ${schedule.name} now?`, text: 'This starts an extra job now; the slots are not affected.' }} />
                    {schedule.paused ? <OrderButton label="Resume" small give={() => order('resume')} /> : <OrderButton label="Pause" icon="pause" small give={() => order('pause')} confirm={{ title: `Pause ${schedule.name}?`, text: 'It starts no jobs until it is resumed. Running jobs continue.' }} />}
                    <OrderButton
                        label="Remove"
                        small
                        danger
                        confirm={{ title: `Remove schedule ${schedule.name}?`, text: 'The schedule is removed; its jobs stay. Applying the configuration file again restores it.', button: 'Remove it' }}
                        give={async () => {
                            await remove(path);
                            return { text: `Schedule ${schedule.name} is removed; its jobs stay.` };
                        }}
                    />
                </>
            }
        >
            {schedule.problem && (
                <p className="banner banner-bad">
                    <Icon name="warning" /> {schedule.problem}
                </p>
            )}
            <div className="schedule">
                <dl className="facts facts-row">
                    <div>
                        <dt>When</dt>
                        <dd>{timingText(schedule.timing)}</dd>
                    </div>
                    <div>
                        <dt>Workflow</dt>
                        <dd>
                            {schedule.workflow && <Link to={`/jobs?workflow=${part(schedule.workflow)}`}>{schedule.workflow}</Link>}
                        </dd>
                    </div>
                    <div>
                        <dt>Last job</dt>
                        <dd>
                            {schedule.last_job ? (
                                <Link to={jobPath(schedule.last_job)}>{schedule.last_state ? <StateBadge state={schedule.last_state} /> : 'show'}</Link>
                            ) : (
                                <span className="faint">none yet</span>
                            )}
                        </dd>
                    </div>
                    <div>
                        <dt>Next</dt>
                        <dd>{schedule.paused ? <span className="faint">when it is resumed</span> : schedule.next[0] ? <NextSlot slot={schedule.next[0]} /> : <span className="faint">none</span>}</dd>
                    </div>
                </dl>
                <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
                    <Icon name={open ? 'down' : 'right'} size={12} /> Next runs and input
                </button>
                {open && <More schedule={schedule} />}
            </div>
        </Card>
    );
}

function NextSlot({ slot }: { slot: Schedule['next'][number] }) {
    return (
        <>
            <Time at={slot.at} />{' '}
            <span className="faint">
                (<Ago at={slot.at} />)
            </span>
        </>
    );
}

function More({ schedule }: { schedule: Schedule }) {
    const whole = useQuery({ queryKey: ['schedules', schedule.name], queryFn: ({ signal }) => get<Schedule>(`/schedules/${part(schedule.name)}`, {}, signal) });
    const next = whole.data?.next ?? schedule.next;
    return (
        <div className="schedule-more">
            <ol className="slots" aria-label="Next runs">
                {next.map((slot) => (
                    <li key={slot.at}>
                        <Time at={slot.at} /> <span className="faint">{slot.local} there</span>
                    </li>
                ))}
            </ol>
            <JsonView value={schedule.input} label="the input" />
        </div>
    );
}

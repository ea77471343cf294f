import { useEffect, useMemo, useState } from 'react';
import type { Job, Step } from '../api/types';
import { serverNow } from '../live/clock';
import { onTick } from '../live/ticker';
import { ganttOf, type Bar } from '../model/gantt';
import { durationText } from '../text/duration';
import { Icon } from './Icon';
import { stateIcons } from './StateBadge';

/** A bar for each step: ready, started, ended. */
export function Gantt({ job, steps, chosen, choose }: { job: Job; steps: Step[]; chosen: string | null; choose: (step: string) => void }) {
    const [now, setNow] = useState(serverNow);
    const isOver = job.finished_at !== null;
    useEffect(() => (isOver ? undefined : onTick(setNow)), [isOver]);
    const gantt = useMemo(() => ganttOf(job, steps.filter((step) => step.item === null), Math.max(now, serverNow() - 1000)), [job, steps, now]);
    return (
        <section className="card gantt" aria-label="Timeline of the steps">
            <div className="gantt-head" aria-hidden="true">
                <span>Step</span>
                <div className="gantt-ticks">
                    {gantt.ticks.map((tick) => (
                        <span key={tick.at} className="gantt-tick" style={{ left: `${tick.at * 100}%` }}>
                            {tick.label}
                        </span>
                    ))}
                </div>
            </div>
            <ol className="gantt-rows">
                {gantt.bars.map((bar) => (
                    <li key={bar.step.name} className="gantt-item">
                        <button type="button" className="gantt-row" aria-pressed={chosen === bar.step.name} onClick={() => choose(bar.step.name)}>
                            <span className={`gantt-name is-${bar.state}`}>
                                <Icon name={stateIcons[bar.state]} size={13} />
                                <span className="one-line" title={bar.step.name}>
                                    {bar.step.name}
                                </span>
                                <span className="unseen"> {bar.state}</span>
                            </span>
                            <span className="gantt-track">
                                {gantt.ticks.map((tick) => (
                                    <span key={tick.at} className="gantt-line" style={{ left: `${tick.at * 100}%` }} />
                                ))}
                                <BarOf bar={bar} />
                            </span>
                        </button>
                    </li>
                ))}
            </ol>
        </section>
    );
}

function BarOf({ bar }: { bar: Bar }) {
    const { ready, start, end, seconds, state } = bar;
    const begin = start ?? end;
    const label = seconds === null ? '' : durationText(seconds);
    const isLate = (end ?? 0) > 0.85;
    return (
        <>
            {ready !== null && begin !== null && begin > ready && <span className="gantt-wait" style={{ left: `${ready * 100}%`, width: `${(begin - ready) * 100}%` }} title="ready, waited for a worker" />}
            {ready !== null && begin === null && <span className="gantt-wait" style={{ left: `${ready * 100}%`, right: 0 }} title="ready, waits for a worker" />}
            {start !== null && end !== null && <span className={`gantt-bar is-${state}`} style={{ left: `${start * 100}%`, width: `max(3px, ${(end - start) * 100}%)` }} />}
            {label && (
                <span className="gantt-label" style={isLate ? { right: `${(1 - (start ?? 0)) * 100}%` } : { left: `${(end ?? 0) * 100}%` }}>
                    {label}
                </span>
            )}
        </>
    );
}

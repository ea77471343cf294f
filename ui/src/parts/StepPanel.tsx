import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { stepQuery } from '../api/queries';
import type { JobStep } from '../api/shapes';
import type { Job, Step } from '../api/types';
import { jobPath, taskPath } from '../pages/links';
import { Link } from '../router/router';
import { shortId } from '../text/words';
import { Facts, Failed, ProgressBar, Skeleton } from './basics';
import { Decide } from './Decide';
import { Icon } from './Icon';
import { JsonView } from './JsonView';
import { LogView } from './LogView';
import { StateBadge } from './StateBadge';
import { StepsBar } from './StepsBar';
import { Ago, Lasting, Time } from './Time';
import type { LogSource } from './useLogLines';

/** The details of one step, beside the graph. */
export function StepPanel({ job, name, known, onClose, choose }: { job: Job; name: string; known: JobStep | undefined; onClose: () => void; choose: (step: string) => void }) {
    const story = useQuery({ ...stepQuery(job.id, name), refetchInterval: job.finished_at ? false : 2000 });
    const step = story.data ? { ...story.data.step, depends_on: known?.depends_on ?? [] } : known;
    const items = story.data?.items ?? [];
    return (
        <aside className="card step-panel" aria-label={`Step ${name}`}>
            <header className="card-head">
                <h2>
                    {name} {step && <StateBadge state={step.state} />}
                </h2>
                <button type="button" className="icon-button" aria-label="Close the step" onClick={onClose}>
                    <Icon name="close" />
                </button>
            </header>
            {step ? <Body job={job} step={step} items={items} choose={choose} /> : story.error ? <Failed error={story.error} what="This step" retry={() => void story.refetch()} /> : <Skeleton lines={6} />}
        </aside>
    );
}

function Body({ job, step, items, choose }: { job: Job; step: JobStep; items: Step[]; choose: (step: string) => void }) {
    return (
        <div className="step-body">
            {step.kind === 'approval' && step.state === 'RUNNING' && (
                <div className="step-ask">
                    <p>{step.message}</p>
                    <Decide job={job.id} step={step} />
                </div>
            )}
            {step.error && (
                <div className="banner banner-bad">
                    <Icon name={step.state === 'SKIPPED' ? 'skip' : 'cross'} />
                    <div>
                        <strong>{step.error.code}</strong> {step.error.message}
                    </div>
                </div>
            )}
            {step.progress && step.state === 'RUNNING' && <ProgressBar progress={step.progress} />}
            {step.items && (
                <div className="step-items-bar">
                    <StepsBar counts={step.items} />
                </div>
            )}
            <Facts
                facts={[
                    ['Kind', step.hook ? `${step.kind}, a hook` : step.kind],
                    ['After', step.depends_on?.length ? <DependsOn names={step.depends_on} choose={choose} /> : null],
                    ['Started', step.started_at && <Time at={step.started_at} />],
                    ['Duration', step.started_at && <Lasting from={step.started_at} to={step.finished_at} />],
                    ['Waited', step.ready_at && step.started_at && <Lasting from={step.ready_at} to={step.started_at} />],
                    ['Attempts', step.attempts > 1 ? step.attempts : null],
                    ['Ends', step.wakes_at && !step.finished_at && <Ago at={step.wakes_at} />],
                    ['Task', step.task && <Link to={taskPath(step.task)}>{shortId(step.task)}</Link>],
                    ['Child job', step.child && <Link to={jobPath(step.child)}>open {shortId(step.child)}</Link>],
                ]}
            />
            {items.length > 0 && <Items items={items} />}
            {step.output !== null && (
                <section>
                    <h3>Output</h3>
                    <JsonView value={step.output} label="the output" />
                </section>
            )}
            {(step.kind === 'task' || step.kind === 'workflow') && step.state !== 'WAITING' && step.state !== 'SKIPPED' && (
                <section>
                    <h3>Log</h3>
                    <LogView source={logOf(job, step)} label={`Log of step ${step.name}`} />
                </section>
            )}
        </div>
    );
}

/** A step with one task has its own log stream; the logs of items and child jobs are read together. */
function logOf(job: Job, step: Step): LogSource {
    return step.task ? { kind: 'task', id: step.task } : { kind: 'step', job: job.id, step: step.name };
}

function DependsOn({ names, choose }: { names: string[]; choose: (step: string) => void }) {
    return (
        <>
            {names.slice(0, 12).map((name, index) => (
                <span key={name}>
                    {index > 0 && ', '}
                    <button type="button" className="link-button" onClick={() => choose(name)}>
                        {name}
                    </button>
                </span>
            ))}
            {names.length > 12 && ` and ${names.length - 12} more`}
        </>
    );
}

const portion = 50;
/** The most urgent items first. */
export const urgency: Record<Step['state'], number> = { FAILED: 0, RUNNING: 1, READY: 2, CANCELLED: 3, WAITING: 4, SKIPPED: 5, COMPLETED: 6 };

function Items({ items }: { items: Step[] }) {
    const [shown, setShown] = useState(portion);
    const ordered = [...items].sort((a, b) => urgency[a.state] - urgency[b.state] || (a.item ?? 0) - (b.item ?? 0));
    return (
        <section>
            <h3>Items</h3>
            <ul className="step-items">
                {ordered.slice(0, shown).map((item) => (
                    <li key={item.name}>
                        <span className="number faint">{item.item}</span>
                        <StateBadge state={item.state} quiet />
                        <span className="step-item-detail one-line">{item.error ? `${item.error.code}: ${item.error.message}` : item.state === 'RUNNING' ? item.progress?.text : ''}</span>
                        {item.started_at && <Lasting from={item.started_at} to={item.finished_at} />}
                        {item.task ? <Link to={taskPath(item.task)}>task</Link> : item.child ? <Link to={jobPath(item.child)}>job</Link> : <span />}
                    </li>
                ))}
            </ul>
            {items.length > shown && (
                <button type="button" className="link-button" onClick={() => setShown(shown + 200)}>
                    {items.length - shown} more
                </button>
            )}
        </section>
    );
}

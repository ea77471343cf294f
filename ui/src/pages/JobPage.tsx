import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { part, post } from '../api/client';
import { jobQuery } from '../api/queries';
import type { Job, JobStory, Step } from '../api/types';
import { isGroupId } from '../model/graph';
import { Card, CopyId, Facts, Failed, Page, Skeleton, useTitle } from '../parts/basics';
import { Definition } from '../parts/Definition';
import { Gantt } from '../parts/Gantt';
import { GroupPanel } from '../parts/GroupPanel';
import { Icon } from '../parts/Icon';
import { JsonView } from '../parts/JsonView';
import { OrderButton } from '../parts/Order';
import { ServerEvents } from '../parts/ServerEvents';
import { StateBadge } from '../parts/StateBadge';
import { StepPanel } from '../parts/StepPanel';
import { StepsBar } from '../parts/StepsBar';
import { Decide } from '../parts/Decide';
import { Ago, Lasting, Time } from '../parts/Time';
import { Link, navigate, useSearch } from '../router/router';
import { shortId } from '../text/words';
import { jobPath } from './links';

const JobGraph = lazy(() => import('../parts/JobGraph'));

const views = [
    ['graph', 'Graph'],
    ['timeline', 'Timeline'],
    ['events', 'Server Events'],
    ['data', 'Input and output'],
    ['definition', 'Definition'],
] as const;
type View = (typeof views)[number][0];

export default function JobPage({ id }: { id: string }) {
    const story = useQuery(jobQuery(id));
    useTitle(story.data ? `Job ${story.data.job.workflow}` : 'Job');
    if (story.error && !story.data) return <Failed error={story.error} what="This job" retry={() => void story.refetch()} />;
    if (!story.data) return <Skeleton lines={12} height={34} />;
    return <Story story={story.data} />;
}

function Story({ story }: { story: JobStory }) {
    const { job, steps } = story;
    const query = new URLSearchParams(useSearch());
    const view = views.find(([name]) => name === query.get('view'))?.[0] ?? 'graph';
    const chosen = query.get('step');
    const show = (change: { view?: View; step?: string | null }) => {
        const next = new URLSearchParams();
        const nextView = change.view ?? view;
        const nextStep = change.step === undefined ? chosen : change.step;
        if (nextView !== 'graph') next.set('view', nextView);
        if (nextStep) next.set('step', nextStep);
        navigate(`${jobPath(job.id)}${next.size ? `?${next.toString()}` : ''}`, true);
    };
    const choose = (step: string | null) => show({ step });
    const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
    const isSplit = chosen !== null && (view === 'graph' || view === 'timeline');
    const open = steps.filter((step) => step.kind === 'approval' && step.state === 'RUNNING');
    return (
        <Page
            crumb={
                <>
                    <Link to="/jobs">Jobs</Link>
                    {job.parent && (
                        <>
                            {' · started by step '}
                            <Link to={`${jobPath(job.parent)}?step=${part(job.parent_step ?? '')}`}>{job.parent_step}</Link> of <Link to={jobPath(job.parent)}>job {shortId(job.parent)}</Link>
                        </>
                    )}
                </>
            }
            title={
                <>
                    {job.workflow} <StateBadge state={job.state} />
                </>
            }
            lead={
                <span className="lead-row">
                    <CopyId id={job.id} whole />
                    <StepsBar counts={job.steps} />
                    <span>
                        <Ago at={job.created_at} />
                        {job.started_at && (
                            <>
                                {job.finished_at ? ', took ' : ', runs for '}
                                <Lasting from={job.started_at} to={job.finished_at} />
                            </>
                        )}
                    </span>
                </span>
            }
            actions={<Actions job={job} />}
        >
            {job.cancel_requested && !job.finished_at && (
                <p className="banner banner-warn">
                    <Icon name="slash" /> The job is being cancelled and waits for its running steps to stop.
                </p>
            )}
            {job.state === 'PAUSED' && (
                <p className="banner banner-warn">
                    <Icon name="pause" /> The job is paused: running steps may end, and no new step begins.
                </p>
            )}
            {job.error && (
                <div className="banner banner-bad">
                    <Icon name="cross" />
                    <div>
                        <strong>{job.error.code}</strong> {job.error.message}
                    </div>
                </div>
            )}
            {open.map((step) => (
                <Approval key={step.name} job={job} step={step} />
            ))}
            <div className="tabs" role="tablist" aria-label="Views of the job">
                {views.map(([name, title]) => (
                    <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={view === name} aria-controls="view" tabIndex={view === name ? 0 : -1} onClick={() => show({ view: name })} onKeyDown={(event) => tabKeys(event, view, (next) => show({ view: next }))}>
                        {title}
                    </button>
                ))}
            </div>
            <div className={`job-view ${isSplit ? 'job-view-split' : ''}`}>
                <div id="view" role="tabpanel" aria-labelledby={`tab-${view}`} className="job-main">
                    <ViewOf view={view} story={story} chosen={chosen} choose={choose} opened={opened} fold={() => setOpened(new Set())} />
                </div>
                {isSplit &&
                    (isGroupId(chosen) ? (
                        <GroupPanel
                            key={chosen}
                            story={story}
                            id={chosen}
                            onClose={() => choose(null)}
                            choose={choose}
                            drawEach={() => {
                                setOpened(new Set([...opened, chosen]));
                                choose(null);
                            }}
                        />
                    ) : (
                        <StepPanel key={chosen} job={job} name={chosen} known={steps.find((step) => step.name === chosen)} onClose={() => choose(null)} choose={choose} />
                    ))}
            </div>
        </Page>
    );
}

function tabKeys(event: React.KeyboardEvent, view: View, show: (view: View) => void) {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!by) return;
    const next = views[(views.findIndex(([name]) => name === view) + by + views.length) % views.length]![0];
    show(next);
    document.getElementById(`tab-${next}`)?.focus();
}

interface ViewProps {
    view: View;
    story: JobStory;
    chosen: string | null;
    choose: (step: string | null) => void;
    opened: ReadonlySet<string>;
    fold: () => void;
}

function ViewOf({ view, story, chosen, choose, opened, fold }: ViewProps) {
    const { job, steps } = story;
    switch (view) {
        case 'graph':
            return (
                <Suspense fallback={<div className="graph graph-place" />}>
                    <JobGraph story={story} chosen={chosen} choose={choose} opened={opened} fold={fold} />
                </Suspense>
            );
        case 'timeline':
            return <Gantt job={job} steps={steps} chosen={chosen} choose={choose} />;
        case 'events':
            return (
                <Card title="Server Events">
                    <ServerEvents job={job} />
                </Card>
            );
        case 'data':
            return <Data job={job} />;
        case 'definition':
            return <Definition job={job.id} />;
    }
}

function Approval({ job, step }: { job: Job; step: Step }) {
    return (
        <div className="banner banner-ask">
            <Icon name="user" />
            <div className="banner-text">
                <strong>{step.message ?? `Step ${step.name} waits for a decision.`}</strong>
                <p className="faint">
                    Step {step.name}
                    {step.started_at && (
                        <>
                            , asked <Ago at={step.started_at} />
                        </>
                    )}
                    {step.wakes_at && (
                        <>
                            , fails <Ago at={step.wakes_at} /> without an answer
                        </>
                    )}
                </p>
            </div>
            <Decide job={job.id} step={step} />
        </div>
    );
}

function Data({ job }: { job: Job }) {
    return (
        <div className="columns">
            <div className="column">
                <Card title="Input">
                    <JsonView value={job.input} label="the input" />
                </Card>
                {job.finished_at && (
                    <Card title={job.error ? 'Error' : 'Output'}>
                        <JsonView value={job.error ? (job.error as never) : job.output} label="the output" />
                    </Card>
                )}
            </div>
            <div className="column column-side">
                <Card title="About">
                    <Facts
                        facts={[
                            ['Accepted', <Time at={job.created_at} />],
                            ['Started', job.started_at && <Time at={job.started_at} />],
                            ['Ended', job.finished_at && <Time at={job.finished_at} />],
                            ['Times out', job.deadline && <Time at={job.deadline} />],
                            ['Retry of', job.retry_of && <Link to={jobPath(job.retry_of)}>{shortId(job.retry_of)}</Link>],
                            ['Root job', job.root && job.root !== job.id && <Link to={jobPath(job.root)}>{shortId(job.root)}</Link>],
                            ['Depth', job.depth || null],
                        ]}
                    />
                </Card>
            </div>
        </div>
    );
}

const statusWords: Record<string, string> = {
    cancelled: 'The job is cancelled.',
    requested: 'The job is being cancelled; its workers have been asked to stop its running steps.',
    paused: 'The job is paused: running steps continue, and no new step begins.',
    resumed: 'The job continues.',
    already: 'The job was in this state already.',
    finished: 'The job had already ended; nothing was changed.',
};

function Actions({ job }: { job: Job }) {
    const path = `/jobs/${part(job.id)}`;
    const order = (word: string) => async (reason: string) => {
        const { status } = await post<{ status: string }>(`${path}/${word}`, reason ? { reason } : {});
        return { text: statusWords[status] ?? status, bad: status === 'finished' };
    };
    if (job.finished_at)
        return (
            <OrderButton
                label="Retry"
                icon="retry"
                primary={job.state !== 'COMPLETED'}
                confirm={{ title: 'Retry this job?', text: 'A new job adopts the completed steps of this one, and runs the others.' }}
                give={async () => {
                    const { id } = await post<{ id: string }>(`${path}/retry`);
                    return { text: 'A new job runs the remaining steps.', link: { to: jobPath(id), text: 'Show it' } };
                }}
            />
        );
    return (
        <>
            {job.state === 'PAUSED' ? (
                <OrderButton label="Resume" icon="play" primary give={order('resume')} />
            ) : (
                <OrderButton label="Pause" icon="pause" reason="optional" give={order('pause')} confirm={{ title: 'Pause this job?', text: 'Running steps may end. No new step begins, not even a retry, until the job is resumed.', button: 'Pause the job' }} />
            )}
            <OrderButton label="Cancel" icon="slash" danger reason="optional" give={order('cancel')} confirm={{ title: 'Cancel this job?', text: 'The job ends together with its child jobs: waiting steps at once, running steps when their workers have stopped them.', button: 'Cancel the job' }} />
        </>
    );
}

import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { fetchJobs, overviewQuery } from '../api/queries';
import { jobStates, type Job, type JobCounts } from '../api/types';
import { jobFiltersOf, jobSearch, toggled, type JobFilters } from '../model/filters';
import { Command, Empty, Page, useTitle } from '../parts/basics';
import { FeedTable, type Column } from '../parts/FeedTable';
import { FilterField } from '../parts/FilterField';
import { StateBadge } from '../parts/StateBadge';
import { StateChips } from '../parts/StateChips';
import { StepsBar } from '../parts/StepsBar';
import { Ago, Lasting } from '../parts/Time';
import { Link, navigate, useSearch } from '../router/router';
import { shortId } from '../text/words';
import { jobPath } from './links';

export function JobsPage() {
    useTitle('Jobs');
    const search = useSearch();
    const filters = jobFiltersOf(search);
    const canonical = jobSearch(filters);
    const set = (change: Partial<JobFilters>, replace = false) => navigate(`/jobs${jobSearch({ ...filters, ...change })}`, replace);
    const counts = useQuery(overviewQuery).data?.jobs;
    const fetchPage = useCallback((after: string | null, signal?: AbortSignal) => fetchJobs(jobFiltersOf(canonical), after, signal), [canonical]);
    return (
        <Page title="Jobs" actions={<Link to="/catalog" className="button"><span>Run a workflow</span></Link>}>
            <div className="filters" role="search" aria-label="Filter jobs">
                <StateChips states={jobStates} chosen={filters.states} counts={counts && ((state) => counts[state.toLowerCase() as keyof JobCounts])} onToggle={(state) => set({ states: toggled(filters.states, state) })} />
                <div className="filter-fields">
                    <FilterField label="Workflow" value={filters.workflow} onChange={(workflow) => set({ workflow }, true)} />
                    <FilterField label="Id" value={filters.id} onChange={(id) => set({ id }, true)} placeholder="prefix" />
                    <label className="check">
                        <input type="checkbox" checked={filters.children} onChange={() => set({ children: !filters.children })} /> include child jobs
                    </label>
                    {canonical && (
                        <button type="button" className="button button-small" onClick={() => navigate('/jobs')}>
                            Clear
                        </button>
                    )}
                </div>
            </div>
            <FeedTable<Job> topic="jobs" noun="job" filters={canonical} fetchPage={fetchPage} columns={columns} empty={<NoJobs filtered={canonical !== ''} />} />
        </Page>
    );
}

function NoJobs({ filtered }: { filtered: boolean }) {
    if (filtered)
        return (
            <Empty icon="search" title="No job matches these filters">
                <Link to="/jobs">Show all jobs</Link>
            </Empty>
        );
    return (
        <Empty icon="jobs" title="There are no jobs yet">
            <p>
                A job is one run of a workflow. Start one from the <Link to="/catalog">catalog</Link>, or from a file:
            </p>
            <Command>holdfast run -f greet.yaml</Command>
        </Empty>
    );
}

const columns: Column<Job>[] = [
    { title: 'State', className: 'col-state', cell: (job) => <StateBadge state={job.state} /> },
    {
        title: 'Workflow',
        className: 'col-name',
        cell: (job) => (
            <Link to={jobPath(job.id)} className="row-link">
                {job.workflow}
            </Link>
        ),
    },
    { title: 'Id', className: 'col-id', cell: (job) => <code title={job.id}>{shortId(job.id)}</code> },
    { title: 'Steps', className: 'col-steps', cell: (job) => <StepsBar counts={job.steps} /> },
    { title: 'Accepted', className: 'col-time', cell: (job) => <Ago at={job.created_at} /> },
    { title: 'Duration', className: 'col-took number', cell: (job) => (job.started_at ? <Lasting from={job.started_at} to={job.finished_at} /> : <span className="faint">–</span>) },
    {
        title: 'Detail',
        className: 'col-detail',
        cell: (job) =>
            job.error ? (
                <span className="one-line" title={job.error.message}>
                    {job.error.code}: {job.error.message}
                </span>
            ) : job.cancel_requested && !job.finished_at ? (
                'cancel requested'
            ) : job.parent ? (
                <span className="faint">
                    started by step {job.parent_step} of <Link to={jobPath(job.parent)}>{shortId(job.parent)}</Link>
                </span>
            ) : null,
    },
];

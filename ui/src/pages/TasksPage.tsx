import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { fetchTasks, overviewQuery } from '../api/queries';
import { taskStates, type Task, type TaskCounts } from '../api/types';
import { runsOf } from '../model/timeline';
import { taskFiltersOf, taskSearch, toggled, type TaskFilters } from '../model/filters';
import { Command, Empty, Page, useTitle } from '../parts/basics';
import { FeedTable, type Column } from '../parts/FeedTable';
import { FilterField } from '../parts/FilterField';
import { Icon } from '../parts/Icon';
import { StateBadge } from '../parts/StateBadge';
import { StateChips } from '../parts/StateChips';
import { Ago, Lasting } from '../parts/Time';
import { Link, navigate, useSearch } from '../router/router';
import { percentText } from '../text/number';
import { shortId } from '../text/words';
import { taskPath } from './links';

export function TasksPage() {
    useTitle('Tasks');
    const search = useSearch();
    const filters = taskFiltersOf(search);
    const canonical = taskSearch(filters);
    const set = (change: Partial<TaskFilters>, replace = false) => navigate(`/tasks${taskSearch({ ...filters, ...change })}`, replace);
    const counts = useQuery(overviewQuery).data?.tasks;
    const fetchPage = useCallback((after: string | null, signal?: AbortSignal) => fetchTasks(taskFiltersOf(canonical), after, signal), [canonical]);
    return (
        <Page title="Tasks">
            <div className="filters" role="search" aria-label="Filter tasks">
                <StateChips states={taskStates} chosen={filters.states} counts={counts && ((state) => counts[state.toLowerCase() as keyof TaskCounts])} onToggle={(state) => set({ states: toggled(filters.states, state) })} />
                <div className="filter-fields">
                    <FilterField label="Name" value={filters.name} onChange={(name) => set({ name }, true)} />
                    <FilterField label="Queue" value={filters.queue} onChange={(queue) => set({ queue }, true)} />
                    <FilterField label="Worker" value={filters.worker} onChange={(worker) => set({ worker }, true)} />
                    <FilterField label="Id" value={filters.id} onChange={(id) => set({ id }, true)} placeholder="prefix" />
                    {canonical && (
                        <button type="button" className="button button-small" onClick={() => navigate('/tasks')}>
                            Clear
                        </button>
                    )}
                </div>
            </div>
            <FeedTable<Task> topic="tasks" noun="task" filters={canonical} fetchPage={fetchPage} columns={columns} empty={<NoTasks filtered={canonical !== ''} />} />
        </Page>
    );
}

function NoTasks({ filtered }: { filtered: boolean }) {
    if (filtered)
        return (
            <Empty icon="search" title="No task matches these filters">
                <Link to="/tasks">Show all tasks</Link>
            </Empty>
        );
    return (
        <Empty icon="tasks" title="There are no tasks yet">
            <p>Submit one, and it is on disk before the command returns:</p>
            <Command>{`holdfast submit hello --script 'echo "Hello, $NAME"' --env NAME=Ada`}</Command>
            <p>
                Or run a task from the <Link to="/catalog">catalog</Link>.
            </p>
        </Empty>
    );
}

const columns: Column<Task>[] = [
    { title: 'State', className: 'col-state', cell: (task) => <StateBadge state={task.state} /> },
    {
        title: 'Name',
        className: 'col-name',
        cell: (task) => (
            <Link to={taskPath(task.id)} className="row-link">
                {task.name || 'script'}
            </Link>
        ),
    },
    { title: 'Id', className: 'col-id', cell: (task) => <code title={task.id}>{shortId(task.id)}</code> },
    { title: 'Queue', className: 'col-queue', cell: (task) => task.queue },
    { title: 'Runs', className: 'col-runs number', cell: (task) => <Runs task={task} /> },
    { title: 'Submitted', className: 'col-time', cell: (task) => <Ago at={task.created_at} /> },
    { title: 'Duration', className: 'col-took number', cell: (task) => (task.started_at ? <Lasting from={task.started_at} to={task.finished_at ?? (task.state === 'RUNNING' ? null : task.started_at)} /> : <span className="faint">–</span>) },
    { title: 'Detail', className: 'col-detail', cell: (task) => <Detail task={task} /> },
];

function Runs({ task }: { task: Task }) {
    return (
        <span title={`${task.state === 'RUNNING' ? '1 running, ' : ''}${task.attempts} ended on their own, ${task.crashes} cut short, ${task.requeues} requeued`}>
            {runsOf(task)}
            {task.crashes > 0 && (
                <span className="text-bad">
                    {' '}
                    <Icon name="bolt" size={12} />
                    {task.crashes}
                    <span className="unseen"> cut short</span>
                </span>
            )}
        </span>
    );
}

const waitWords: Record<string, string> = { future: 'for its start time', key: 'for its concurrency key', overdue: 'although its deadline has passed', job: 'because its job is paused' };

function Detail({ task }: { task: Task }) {
    if (task.error && task.state !== 'COMPLETED') return <span className="one-line" title={task.error.message}>{task.error.code}: {task.error.message}</span>;
    if (task.cancel_requested && !task.finished_at) return <>cancel requested</>;
    if (task.progress && task.state === 'RUNNING')
        return (
            <span className="inline-progress">
                <span className="progress-track">
                    <span className="progress-fill" style={{ width: `${Math.min(1, task.progress.fraction) * 100}%` }} />
                </span>
                {percentText(task.progress.fraction)} <span className="faint one-line">{task.progress.text}</span>
            </span>
        );
    if (task.state === 'PENDING' && task.waits_for === 'future' && task.run_at)
        return (
            <span className="faint">
                due <Ago at={task.run_at} />
            </span>
        );
    if (task.state === 'PENDING' && task.waits_for) return <span className="faint">waits {waitWords[task.waits_for] ?? task.waits_for}</span>;
    return null;
}

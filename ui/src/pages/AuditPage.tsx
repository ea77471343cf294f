import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditLine, Json } from '../api/types';
import { auditQuery } from '../api/queries';
import { auditFiltersOf, auditSearch, type AuditFilters } from '../model/filters';
import { Card, Choice, Empty, Failed, Head, Page, Skeleton, useTitle } from '../parts/basics';
import { FilterField } from '../parts/FilterField';
import { Time } from '../parts/Time';
import { WorkerName } from '../parts/WorkerName';
import { Link, navigate, useSearch } from '../router/router';
import { plural } from '../text/number';
import { kindWords, shortId, withoutIds } from '../text/words';
import { jobPath, taskPath } from './links';

const periods = [
    ['24h', '24 hours'],
    ['7d', '7 days'],
    ['30d', '30 days'],
    ['', 'all'],
] as const;

export function AuditPage() {
    useTitle('Audit');
    const filters = auditFiltersOf(useSearch());
    const set = (change: Partial<AuditFilters>) => navigate(`/audit${auditSearch({ ...filters, ...change })}`, true);
    return (
        <Page title="Audit" lead="Who gave which order, from where, and what it changed.">
            <div className="filters" role="search" aria-label="Filter the audit">
                <Choice label="Period" options={periods} value={filters.within} onChange={(within) => set({ within })} />
                <div className="filter-fields">
                    <FilterField label="Who or from where" value={filters.who} onChange={(who) => set({ who })} />
                    <FilterField label="Order" value={filters.kind} onChange={(kind) => set({ kind })} placeholder="queue_paused" />
                    <FilterField label="Queue" value={filters.queue} onChange={(queue) => set({ queue })} />
                    <FilterField label="Text" value={filters.text} onChange={(text) => set({ text })} />
                    {auditSearch(filters) && (
                        <button type="button" className="button button-small" onClick={() => navigate('/audit')}>
                            Clear
                        </button>
                    )}
                </div>
            </div>
            <Card>
                <Lines filters={filters} />
            </Card>
        </Page>
    );
}

function Lines({ filters }: { filters: AuditFilters }) {
    const audit = useInfiniteQuery(auditQuery(filters));
    if (audit.error && !audit.data) return <Failed error={audit.error} what="The audit" retry={() => void audit.refetch()} />;
    if (!audit.data) return <Skeleton lines={6} height={44} />;
    const lines = audit.data.pages.flatMap((page) => page.items);
    return (
        <>
            {lines.length > 0 && (
                <table className="table cards">
                    <Head columns={['When', 'Who', 'Order', 'What', 'Changed']} />
                    <tbody>
                        {lines.map((line) => (
                            <Line key={line.id} line={line} />
                        ))}
                    </tbody>
                </table>
            )}
            {lines.length === 0 && !audit.hasNextPage && (
                <Empty icon="audit" title="No such order was given">
                    Orders are kept for as long as retention.audit_hours says.
                </Empty>
            )}
            <div className="feed-end">
                {audit.isFetchNextPageError && <Failed error={audit.error} what="The next page" />}
                {audit.hasNextPage && (
                    <button type="button" className="button" onClick={() => void audit.fetchNextPage()} disabled={audit.isFetchingNextPage}>
                        {audit.isFetchingNextPage ? 'Searching…' : 'Search further back'}
                    </button>
                )}
                {lines.length > 0 && <span className="faint">{plural(lines.length, 'order')} shown</span>}
            </div>
        </>
    );
}

function Line({ line }: { line: AuditLine }) {
    return (
        <tr>
            <td data-label="When">
                <Time at={line.at} exact />
            </td>
            <th scope="row" data-label="Who">
                {line.who} {line.from && <span className="faint">{line.from}</span>}
            </th>
            <td data-label="Order">{kindWords(line.kind)}</td>
            <td data-label="What">
                {withoutIds(line.message)} <About line={line} />
            </td>
            <td data-label="Changed">
                {(line.before !== null || line.after !== null) && (
                    <>
                        <code>{shown(line.before)}</code> → <code>{shown(line.after)}</code>
                    </>
                )}
            </td>
        </tr>
    );
}

const shown = (value: Json) => (value === null ? '–' : JSON.stringify(value));

function About({ line }: { line: AuditLine }) {
    if (line.task) return <Link to={taskPath(line.task)}>task {shortId(line.task)}</Link>;
    if (line.job) return <Link to={jobPath(line.job)}>job {shortId(line.job)}</Link>;
    if (line.worker)
        return (
            <>
                worker <WorkerName id={line.worker} />
            </>
        );
    return null;
}

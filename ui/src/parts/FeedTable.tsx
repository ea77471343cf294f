import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { Page } from '../api/shapes';
import type { Row } from '../model/feed';
import { countText, plural } from '../text/number';
import { Failed } from './basics';
import { Icon } from './Icon';
import { useFeed } from './useFeed';

export interface Column<T> {
    title: string;
    className?: string;
    cell: (row: T) => ReactNode;
}
interface FeedTableProps<T> {
    topic: 'tasks' | 'jobs';
    noun: string;
    filters: string;
    fetchPage: (after: string | null, signal?: AbortSignal) => Promise<Page<T>>;
    columns: Column<T>[];
    empty: ReactNode;
}

/** All rows have the same height, so that rows out of sight need not be drawn. */
const wideRow = 44;
const narrowRow = 112;
const narrow = '(max-width: 760px)';
const margin = 12;

/** A list of up to a million rows: only visible rows are drawn, and new rows wait for a click while the reader is scrolled down. */
export function FeedTable<T extends Row>({ topic, noun, filters, fetchPage, columns, empty }: FeedTableProps<T>) {
    const box = useRef<HTMLDivElement>(null);
    const isReading = useCallback(() => {
        const element = box.current;
        if (!element) return false;
        return element.getBoundingClientRect().top < -20 || element.matches(':hover') || element.contains(document.activeElement);
    }, []);
    const feed = useFeed<T>({ topic, filters, fetchPage, isReading });
    const { rowHeight, first, last } = useWindow(box, feed.rows.length);

    useEffect(() => {
        feed.lookAt(Math.floor((first + last) / 2));
        if (feed.hasMore && !feed.loadingMore && !feed.moreError && last >= feed.rows.length - 20 && first > 0) void feed.loadMore();
    }, [first, last, feed.rows.length]);

    if (feed.error) return <Failed error={feed.error} retry={feed.retry} what={`The list of ${noun}s`} />;
    if (!feed.isLoading && feed.rows.length === 0 && feed.freshCount === 0) return <>{empty}</>;
    const showFresh = () => {
        feed.showFresh();
        box.current?.scrollIntoView({ block: 'start' });
    };
    return (
        <div ref={box} className="feed">
            <div className="feed-pill-place" aria-live="polite">
                {feed.freshCount > 0 && (
                    <button type="button" className="feed-pill" onClick={showFresh}>
                        <Icon name="up" size={13} /> {countText(feed.freshCount)}
                        {feed.freshCount >= 100 ? '+' : ''} new
                    </button>
                )}
            </div>
            <table className="table feed-table">
                <thead>
                    <tr>
                        {columns.map((column) => (
                            <th key={column.title} scope="col" className={column.className}>
                                {column.title}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {feed.isLoading ? (
                        <LoadingRows columns={columns.length} height={rowHeight} />
                    ) : (
                        <>
                            <Spacer rows={first} height={rowHeight} columns={columns.length} />
                            {feed.rows.slice(first, last).map((row) => (
                                <tr key={row.id} className={feed.gone.has(row.id) ? 'is-gone' : ''} style={{ height: rowHeight }}>
                                    {columns.map((column) => (
                                        <td key={column.title} className={column.className} data-label={column.title}>
                                            {column.cell(row)}
                                        </td>
                                    ))}
                                </tr>
                            ))}
                            <Spacer rows={feed.rows.length - last} height={rowHeight} columns={columns.length} />
                        </>
                    )}
                </tbody>
            </table>
            {!feed.isLoading && (
                <div className="feed-end">
                    {feed.moreError ? <Failed error={feed.moreError} what="The next page" /> : null}
                    {feed.hasMore ? (
                        <button type="button" className="button" onClick={() => void feed.loadMore()} disabled={feed.loadingMore}>
                            {feed.loadingMore ? 'Loading…' : 'Load more'}
                        </button>
                    ) : null}
                    <span className="faint">
                        {plural(feed.rows.length, noun)} shown{feed.hasMore ? ', there are more' : ''}
                    </span>
                </div>
            )}
        </div>
    );
}

function Spacer({ rows, height, columns }: { rows: number; height: number; columns: number }) {
    if (rows <= 0) return null;
    return (
        <tr className="spacer" aria-hidden="true" style={{ height: rows * height }}>
            <td colSpan={columns} />
        </tr>
    );
}

function LoadingRows({ columns, height }: { columns: number; height: number }) {
    return (
        <>
            {Array.from({ length: 12 }, (_, row) => (
                <tr key={row} style={{ height }} aria-hidden="true">
                    {Array.from({ length: columns }, (_, column) => (
                        <td key={column}>
                            <div className="skeleton-line" style={{ width: `${80 - ((row * 13 + column * 29) % 45)}%`, height: 12 }} />
                        </td>
                    ))}
                </tr>
            ))}
        </>
    );
}

/** The visible rows of the table, from the scroll position of the page. */
function useWindow(box: React.RefObject<HTMLDivElement | null>, count: number) {
    const [range, setRange] = useState({ rowHeight: wideRow, first: 0, last: 60 });
    const measure = useCallback(() => {
        const element = box.current;
        if (!element) return;
        const rowHeight = window.matchMedia(narrow).matches ? narrowRow : wideRow;
        const above = -element.getBoundingClientRect().top - 40;
        const first = Math.max(0, Math.floor(above / rowHeight) - margin);
        const last = Math.ceil((above + window.innerHeight) / rowHeight) + margin;
        setRange((old) => (old.first === first && old.last === last && old.rowHeight === rowHeight ? old : { rowHeight, first, last }));
    }, [box]);
    useLayoutEffect(measure, [measure, count]);
    useEffect(() => {
        window.addEventListener('scroll', measure, { passive: true });
        window.addEventListener('resize', measure);
        return () => {
            window.removeEventListener('scroll', measure);
            window.removeEventListener('resize', measure);
        };
    }, [measure]);
    const last = Math.max(0, Math.min(range.last, count));
    return { rowHeight: range.rowHeight, first: Math.min(range.first, last), last };
}

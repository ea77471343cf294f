/**
 * A list that grows at its head while somebody reads it, page by page, newest first.
 * What is shown keeps its place: new rows wait until they are asked for, rows that have left the filter stay, marked.
 */
export interface Row {
    id: string;
}
export interface FeedPage<T extends Row> {
    /** The cursor that it was read with; null: the first page. */
    after: string | null;
    rows: T[];
}
export interface Feed<T extends Row> {
    pages: FeedPage<T>[];
    /** Cursor of the page after the last one; null: there is none. */
    next: string | null;
    /** Newer than the first row, not shown yet. */
    fresh: T[];
    /** Shown, but no longer in the list by its filters. */
    gone: ReadonlySet<string>;
}

export const emptyFeed = { pages: [], next: null, fresh: [], gone: new Set<string>() };

export function rowsOf<T extends Row>(feed: Feed<T>): T[] {
    return feed.pages.flatMap((page) => page.rows);
}

/** From the head; later pages are given up. */
export function started<T extends Row>(rows: T[], next: string | null): Feed<T> {
    return { pages: [{ after: null, rows }], next, fresh: [], gone: new Set() };
}

export function appended<T extends Row>(feed: Feed<T>, after: string, rows: T[], next: string | null): Feed<T> {
    const known = new Set(rowsOf(feed).map((row) => row.id));
    return { ...feed, pages: [...feed.pages, { after, rows: rows.filter((row) => !known.has(row.id)) }], next };
}

/**
 * A page read again. `hasMore` says whether the answer was cut: then what lies behind its last row is not known to be gone.
 * Of the first page, rows that are newer than all shown ones become `fresh`.
 */
export function refreshed<T extends Row>(feed: Feed<T>, after: string | null, rows: T[], hasMore: boolean): Feed<T> {
    const index = feed.pages.findIndex((page) => page.after === after);
    const page = feed.pages[index];
    if (!page) return feed;
    const now = new Map(rows.map((row) => [row.id, row]));
    const end = hasMore ? rows.at(-1)?.id : undefined;
    const gone = new Set(feed.gone);
    const kept = page.rows.map((row) => {
        const update = now.get(row.id);
        if (update) gone.delete(row.id);
        else if (end === undefined || row.id > end) gone.add(row.id);
        return update ?? row;
    });
    const pages = feed.pages.map((other, at) => (at === index ? { after, rows: kept } : other));
    return { ...feed, pages, gone, fresh: after === null ? freshOf(feed, rows) : feed.fresh };
}

function freshOf<T extends Row>(feed: Feed<T>, rows: T[]): T[] {
    const known = new Set(rowsOf(feed).map((row) => row.id));
    return rows.filter((row) => !known.has(row.id));
}

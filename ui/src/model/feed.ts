/**
 * A list that is read page by page, newest first, and grows at its head.
 * Visible rows keep their place: new rows wait for a click, and rows that no longer match the filter stay, marked.
 */
export interface Row {
    id: string;
}
export interface FeedPage<T extends Row> {
    /** The cursor of this page; null: the first page. */
    after: string | null;
    rows: T[];
}
export interface Feed<T extends Row> {
    pages: FeedPage<T>[];
    /** The cursor of the next page; null: this is the last one. */
    next: string | null;
    /** Newer than the first row, not shown yet. */
    fresh: T[];
    /** Shown, but no longer matching the filters. */
    gone: ReadonlySet<string>;
}

export const emptyFeed = { pages: [], next: null, fresh: [], gone: new Set<string>() };

export function rowsOf<T extends Row>(feed: Feed<T>): T[] {
    return feed.pages.flatMap((page) => page.rows);
}

/** Starts again from the head; later pages are dropped. */
export function started<T extends Row>(rows: T[], next: string | null): Feed<T> {
    return { pages: [{ after: null, rows }], next, fresh: [], gone: new Set() };
}

export function appended<T extends Row>(feed: Feed<T>, after: string, rows: T[], next: string | null): Feed<T> {
    const known = new Set(rowsOf(feed).map((row) => row.id));
    return { ...feed, pages: [...feed.pages, { after, rows: rows.filter((row) => !known.has(row.id)) }], next };
}

/**
 * A page that was read again. With `hasMore` the answer was cut, so rows after its last row may still exist.
 * On the first page, rows that are newer than all shown rows become `fresh`.
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

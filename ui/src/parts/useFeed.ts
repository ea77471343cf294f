import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Page } from '../api/shapes';
import { appended, emptyFeed, refreshed, rowsOf, started, type Feed, type Row } from '../model/feed';

interface FeedSettings<T> {
    topic: 'tasks' | 'jobs';
    /** Other filters mean another list. */
    filters: string;
    fetchPage: (after: string | null, signal?: AbortSignal) => Promise<Page<T>>;
    /** The reader is scrolled down, so rows must not move. */
    isReading: () => boolean;
}

/** The refresh interval without a live stream. */
const pollEvery = 5000;

/** A list, newest first. The visible page is kept fresh, and the next page is loaded at the end. */
export function useFeed<T extends Row>({ topic, filters, fetchPage, isReading }: FeedSettings<T>) {
    const [feed, setFeed] = useState<Feed<T>>(emptyFeed);
    const [seenPage, setSeenPage] = useState<string | null>(null);
    const [loadingMore, setLoadingMore] = useState(false);
    const [moreError, setMoreError] = useState<unknown>(null);
    const shownFor = useRef<string | null>(null);

    const head = useQuery({
        queryKey: [topic, 'feed', filters, 'head'],
        queryFn: ({ signal }) => fetchPage(null, signal),
        refetchInterval: pollEvery,
        gcTime: 0,
    });
    const seen = useQuery({
        queryKey: [topic, 'feed', filters, 'page', seenPage],
        queryFn: ({ signal }) => fetchPage(seenPage, signal),
        refetchInterval: pollEvery,
        enabled: seenPage !== null,
        gcTime: 0,
    });

    useEffect(() => {
        const page = head.data;
        if (!page) return;
        const isOther = shownFor.current !== filters;
        shownFor.current = filters;
        if (isOther) setSeenPage(null);
        setFeed((feed) =>
            isOther || feed.pages.length === 0 || !isReading()
                ? started(page.items, page.next)
                : refreshed(feed, null, page.items, page.next !== null),
        );
    }, [head.data]);
    useEffect(() => {
        const page = seen.data;
        if (page && seenPage !== null) setFeed((feed) => refreshed(feed, seenPage, page.items, page.next !== null));
    }, [seen.data]);

    const loadMore = useCallback(async () => {
        const after = feed.next;
        if (after === null || loadingMore) return;
        setLoadingMore(true);
        try {
            const page = await fetchPage(after);
            setFeed((feed) => (feed.next === after ? appended(feed, after, page.items, page.next) : feed));
            setMoreError(null);
        } catch (error) {
            setMoreError(error);
        } finally {
            setLoadingMore(false);
        }
    }, [feed.next, loadingMore, fetchPage]);

    const showFresh = useCallback(() => {
        if (!head.data) return;
        setSeenPage(null);
        setFeed(started(head.data.items, head.data.next));
    }, [head.data]);

    /** Reports the visible rows, so that their page is kept fresh. */
    const lookAt = useCallback(
        (row: number) => {
            let before = 0;
            for (const page of feed.pages) {
                before += page.rows.length;
                if (row < before) return setSeenPage(page.after);
            }
        },
        [feed.pages],
    );

    return {
        rows: rowsOf(feed),
        gone: feed.gone,
        freshCount: feed.fresh.length,
        hasMore: feed.next !== null,
        isLoading: head.isPending || (shownFor.current !== filters && !head.isError),
        error: head.data ? null : head.error,
        retry: () => void head.refetch(),
        loadingMore,
        moreError,
        loadMore,
        showFresh,
        lookAt,
    };
}

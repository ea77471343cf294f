import { useEffect, useMemo, useRef, useState } from 'react';
import { address, ApiError, get, part } from '../api/client';
import type { LogPiece } from '../api/shapes';
import type { LogPage } from '../api/types';
import { openStream } from '../live/stream';
import { LogLines } from '../model/log';

export type LogSource = { kind: 'task'; id: string } | { kind: 'step'; job: string; step: string };
export type LogStatus = 'loading' | 'live' | 'lost' | 'ended' | 'refused';

/** The minimum interval between two updates. */
const drawEvery = 120;
const pollEvery = 1500;

/** The lines of a growing log; `version` changes with them. */
export function useLogLines(source: LogSource) {
    const key = source.kind === 'task' ? source.id : `${source.job}/${source.step}`;
    const book = useMemo(() => new LogLines(), [key]);
    const [version, setVersion] = useState(0);
    const [status, setStatus] = useState<LogStatus>('loading');
    const drawing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

    useEffect(() => {
        const add = (pieces: LogPiece[]) => {
            book.add(pieces);
            drawing.current ??= setTimeout(() => {
                drawing.current = undefined;
                setVersion((count) => count + 1);
            }, drawEvery);
        };
        setStatus('loading');
        const stop = source.kind === 'task' ? followTask(source.id, add, setStatus) : pollStep(source.job, source.step, add, setStatus);
        return () => {
            stop();
            clearTimeout(drawing.current);
            drawing.current = undefined;
        };
    }, [key]);
    return { lines: book.lines, version, status };
}

type Add = (pieces: LogPiece[]) => void;
type Tell = (status: LogStatus) => void;

function followTask(id: string, add: Add, tell: Tell): () => void {
    const stop = openStream(address(`/tasks/${part(id)}/logs/stream`), {
        opened: () => tell('live'),
        message: ({ event, data }) => {
            if (event === 'log') add([JSON.parse(data) as LogPiece]);
            if (event === 'end') {
                tell('ended');
                stop();
            }
        },
        lost: () => tell('lost'),
    });
    return stop;
}

function pollStep(job: string, step: string, add: Add, tell: Tell): () => void {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let after: number | string | null = null;
    async function poll() {
        try {
            const page: LogPage = await get<LogPage>(`/jobs/${part(job)}/steps/${part(step)}/logs`, { after, limit: 1000 }, abort.signal);
            after = page.next;
            if (page.items.length) add(page.items);
            tell(page.ended ? 'ended' : 'live');
            if (page.ended && page.items.length === 0) return;
            timer = setTimeout(() => void poll(), page.items.length >= 1000 ? 0 : pollEvery);
        } catch (error) {
            if (abort.signal.aborted) return;
            if (error instanceof ApiError && error.status === 422) return tell('refused');
            tell('lost');
            timer = setTimeout(() => void poll(), pollEvery * 2);
        }
    }
    void poll();
    return () => {
        abort.abort();
        clearTimeout(timer);
    };
}

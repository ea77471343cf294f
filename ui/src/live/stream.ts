import { SseParser, type Message } from './sse';

export interface StreamHandlers {
    opened(): void;
    message(message: Message): void;
    /** The stream broke or could not be opened; the next attempt comes after so many milliseconds. `status`: of the answer, 0 without one. */
    lost(status: number, retryIn: number): void;
}
export interface StreamSettings {
    fetch?: typeof fetch;
    /** The connection is closed after this long without data (the server sends a comment every 15 seconds). */
    silenceLimit?: number;
    random?: () => number;
    /** Where to resume: the header Last-Event-ID of the first request. */
    lastEventId?: string | null;
}

const firstDelay = 500;
const longestDelay = 15_000;

/** Half a second, doubled each time up to a limit, minus up to a quarter so that pages do not reconnect at once. */
export function retryDelay(failures: number, random: () => number): number {
    return Math.min(longestDelay, firstDelay * 2 ** Math.min(failures, 10)) * (1 - random() / 4);
}

/**
 * An event stream that reconnects and resumes automatically. It replaces EventSource, which hides the reason of a failure.
 * Returns a function that ends it.
 */
export function openStream(url: string, handlers: StreamHandlers, settings: StreamSettings = {}): () => void {
    const { fetch: doFetch = fetch, silenceLimit = 40_000, random = Math.random } = settings;
    const stop = new AbortController();
    let lastId = settings.lastEventId ?? null;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function connect() {
        const attempt = new AbortController();
        const end = () => attempt.abort();
        stop.signal.addEventListener('abort', end);
        let status = 0;
        let watchdog: ReturnType<typeof setTimeout> | undefined;
        const alive = () => {
            clearTimeout(watchdog);
            watchdog = setTimeout(end, silenceLimit);
        };
        try {
            alive();
            const answer = await doFetch(url, {
                headers: { accept: 'text/event-stream', ...(lastId !== null ? { 'last-event-id': lastId } : {}) },
                credentials: 'same-origin',
                cache: 'no-store',
                signal: attempt.signal,
            });
            status = answer.status;
            if (answer.ok && answer.body) {
                failures = 0;
                handlers.opened();
                await read(answer.body, alive);
            } else {
                await answer.body?.cancel();
            }
        } catch {
            // Told below, as every other end.
        } finally {
            clearTimeout(watchdog);
            stop.signal.removeEventListener('abort', end);
        }
        if (stop.signal.aborted) return;
        const delay = retryDelay(failures++, random);
        handlers.lost(status, delay);
        timer = setTimeout(() => void connect(), delay);
    }

    async function read(body: ReadableStream<Uint8Array>, alive: () => void) {
        const reader = body.getReader();
        const decoder = new TextDecoder();
        const parser = new SseParser();
        for (;;) {
            const { value, done } = await reader.read();
            if (done || stop.signal.aborted) return;
            alive();
            for (const message of parser.push(decoder.decode(value, { stream: true }))) {
                if (message.id !== null) lastId = message.id;
                handlers.message(message);
                if (stop.signal.aborted) return;
            }
        }
    }

    void connect();
    return () => {
        stop.abort();
        clearTimeout(timer);
    };
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStream, retryDelay, type StreamHandlers } from './stream';

type Answer = { status: number; texts?: string[]; stays?: boolean } | 'no server';

/** Answers requests one after the other and records them. */
function server(...answers: Answer[]) {
    const asked: (string | null)[] = [];
    const doFetch = vi.fn(async (_: unknown, init?: RequestInit) => {
        asked.push(new Headers(init?.headers).get('last-event-id'));
        const answer = answers.shift() ?? { status: 200, stays: true };
        if (answer === 'no server') throw new TypeError('failed to fetch');
        const body = new ReadableStream<Uint8Array>({
            start(controller) {
                for (const text of answer.texts ?? []) controller.enqueue(new TextEncoder().encode(text));
                if (!answer.stays) controller.close();
                init?.signal?.addEventListener('abort', () => answer.stays && controller.error(new Error('aborted')));
            },
        });
        return new Response(body, { status: answer.status });
    });
    return { doFetch: doFetch as unknown as typeof fetch, asked };
}

function handlers() {
    const told: string[] = [];
    const taking: StreamHandlers = { opened: () => told.push('opened'), message: (message) => told.push(`${message.event} ${message.data}`), lost: (status) => told.push(`lost ${status}`) };
    return { told, taking };
}
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

describe('A stream', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('reconnects, and resumes after the last event', async () => {
        const { doFetch, asked } = server({ status: 200, texts: ['id: 41\nevent: event\ndata: x\n\n'] }, 'no server', { status: 200, stays: true });
        const { told, taking } = handlers();
        const stop = openStream('/api/events', taking, { fetch: doFetch, random: () => 0 });
        await settle();
        expect(told).toEqual(['opened', 'event x', 'lost 200']);
        await settle(500);
        expect(told.at(-1)).toBe('lost 0');
        await settle(1000);
        expect(told.at(-1)).toBe('opened');
        expect(asked).toEqual([null, '41', '41']);
        stop();
    });
    it('reports the status of a refusal', async () => {
        const { told, taking } = handlers();
        const stop = openStream('/api/events', taking, { fetch: server({ status: 401 }).doFetch, random: () => 0 });
        await settle();
        expect(told).toEqual(['lost 401']);
        stop();
    });
    it('is closed after a silence without comment lines', async () => {
        const { told, taking } = handlers();
        const stop = openStream('/api/events', taking, { fetch: server({ status: 200, texts: [': alive\n\n'], stays: true }).doFetch, silenceLimit: 1000, random: () => 0 });
        await settle(999);
        expect(told).toEqual(['opened']);
        await settle(2);
        expect(told).toEqual(['opened', 'lost 200']);
        stop();
    });
    it('is not reopened after a stop', async () => {
        const { doFetch, asked } = server({ status: 200, texts: [] });
        const { taking } = handlers();
        const stop = openStream('/api/events', taking, { fetch: doFetch });
        stop();
        await settle(60_000);
        expect(asked).toHaveLength(1);
    });
});

describe('The wait before the next attempt', () => {
    it('grows up to a limit and differs between pages', () => {
        expect([0, 1, 2, 20].map((failures) => retryDelay(failures, () => 0))).toEqual([500, 1000, 2000, 15_000]);
        expect(retryDelay(1, () => 1)).toBe(750);
    });
});

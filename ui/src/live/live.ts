import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { address } from '../api/client';
import { keys } from '../api/queries';
import type { Changed, HistoryEvent } from '../api/shapes';
import type { Overview } from '../api/types';
import { setServerTime } from './clock';
import { allTopics, Coalescer, topicsOfChange, topicsOfEvent } from './invalidation';
import type { Message } from './sse';
import { openStream } from './stream';

export interface LiveStatus {
    state: 'connecting' | 'live' | 'reconnecting' | 'offline';
    /** When the state began, or when the connection was lost, in milliseconds. */
    since: number;
}

/** How long a broken connection counts as "reconnecting"; after that the page shows how long it has been offline. */
const patience = 8000;
/** The minimum interval between two refreshes, for a visible and for a hidden tab. */
const pauseInFront = 700;
const pauseBehind = 20_000;

/** The page's only connection to the live stream. Keeps the queries fresh and reports its own state. */
export class Live {
    private status: LiveStatus = { state: 'connecting', since: Date.now() };
    private listeners = new Set<() => void>();
    private close: (() => void) | undefined;
    private escalation: ReturnType<typeof setTimeout> | undefined;
    private wasLost = false;
    private readonly coalescer: Coalescer;

    constructor(private readonly client: QueryClient) {
        this.coalescer = new Coalescer(
            (topics) => topics.forEach((topic) => void client.invalidateQueries({ queryKey: [topic] }, { cancelRefetch: false })),
            () => (document.hidden ? pauseBehind : pauseInFront),
            { now: () => Date.now(), after: (milliseconds, call) => setTimeout(call, milliseconds) },
        );
    }

    start(): () => void {
        const seen = () => !document.hidden && this.coalescer.flush();
        document.addEventListener('visibilitychange', seen);
        this.close = openStream(address('/events'), {
            opened: () => this.opened(),
            message: (message) => this.take(message),
            lost: (status) => this.lost(status),
        });
        return () => {
            document.removeEventListener('visibilitychange', seen);
            clearTimeout(this.escalation);
            this.close?.();
        };
    }

    subscribe = (listener: () => void) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    };
    current = () => this.status;

    private opened() {
        clearTimeout(this.escalation);
        this.set({ state: 'live', since: Date.now() });
        if (this.wasLost) {
            this.wasLost = false;
            void this.client.invalidateQueries();
        }
    }

    private lost(status: number) {
        if (status === 401 || status === 403) void this.client.invalidateQueries({ queryKey: keys.session });
        this.wasLost = true;
        if (this.status.state === 'live' || this.status.state === 'connecting') {
            this.set({ state: 'reconnecting', since: Date.now() });
            clearTimeout(this.escalation);
            this.escalation = setTimeout(() => this.set({ ...this.status, state: 'offline' }), patience);
        }
    }

    private take(message: Message) {
        const data = parsed(message.data);
        if (data === null) return;
        if (message.event === 'hello') setServerTime((data as { now: string }).now);
        if (message.event === 'event') this.coalescer.add(topicsOfEvent(data as HistoryEvent));
        if (message.event === 'gap') this.coalescer.add(allTopics);
        if (message.event === 'changed') this.takeChange(data as Changed);
    }

    private takeChange(changed: Changed) {
        if (changed.counts)
            this.client.setQueryData<Overview>(keys.overview, (known) => known && { ...known, tasks: changed.counts });
        this.coalescer.add(topicsOfChange(changed));
    }

    private set(status: LiveStatus) {
        this.status = status;
        for (const listener of this.listeners) listener();
    }
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

export function useLiveStatus(live: Live): LiveStatus {
    return useSyncExternalStore(live.subscribe, live.current);
}

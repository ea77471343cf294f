import { useEffect, useRef } from 'react';
import { serverNow } from '../live/clock';
import { onTick } from '../live/ticker';
import { ageText, durationText } from '../text/duration';
import { bothClocks, localTime, localTimeExact, relativeTime } from '../text/time';

/** A local time, with UTC in its tooltip. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
    const now = new Date();
    return (
        <time dateTime={at} title={bothClocks(at)}>
            {exact ? localTimeExact(at, now) : localTime(at, now)}
        </time>
    );
}

/** Updates the text every second without React, so that thousands of them are cheap. */
function useTicking(text: (now: number) => string) {
    const element = useRef<HTMLTimeElement>(null);
    useEffect(() =>
        onTick((now) => {
            const node = element.current?.firstChild;
            const next = text(now);
            if (node && node.nodeValue !== next) node.nodeValue = next;
        }),
    );
    return element;
}

/** "12 s ago", updated every second. */
export function Ago({ at }: { at: string }) {
    const text = (now: number) => relativeTime(at, now);
    const element = useTicking(text);
    return (
        <time ref={element} dateTime={at} title={bothClocks(at)}>
            {text(serverNow())}
        </time>
    );
}

/** A duration, updated every second until it has an end. */
export function Lasting({ from, to }: { from: string; to: string | null }) {
    const text = (now: number) =>
        to ? durationText((Date.parse(to) - Date.parse(from)) / 1000) : ageText((now - Date.parse(from)) / 1000);
    const element = useTicking(text);
    return (
        <time ref={element} title={`from ${bothClocks(from)}${to ? `\nto ${bothClocks(to)}` : ''}`}>
            {text(serverNow())}
        </time>
    );
}

import { useEffect, useRef } from 'react';
import { serverNow } from '../live/clock';
import { onTick } from '../live/ticker';
import { ageText, durationText } from '../text/duration';
import { bothClocks, localTime, localTimeExact, relativeTime } from '../text/time';

/** A time on this machine's clock; both clocks when pointed at. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
    const now = new Date();
    return (
        <time dateTime={at} title={bothClocks(at)}>
            {exact ? localTimeExact(at, now) : localTime(at, now)}
        </time>
    );
}

/** Writes the text anew each second, past React: thousands of them cost nothing but themselves. */
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

/** "12 s ago", and ticks. */
export function Ago({ at }: { at: string }) {
    const text = (now: number) => relativeTime(at, now);
    const element = useTicking(text);
    return (
        <time ref={element} dateTime={at} title={bothClocks(at)}>
            {text(serverNow())}
        </time>
    );
}

/** How long it takes, or took; ticks until there is an end. */
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

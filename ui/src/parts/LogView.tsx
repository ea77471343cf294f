import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { marked, matching, type LogLine } from '../model/log';
import { countText } from '../text/number';
import { bothClocks, localTime } from '../text/time';
import { Icon } from './Icon';
import { useToasts } from './Toasts';
import { useLogLines, type LogSource, type LogStatus } from './useLogLines';

const lineHeight = 20;
/** Extra lines above and below the visible ones, so that scrolling shows no gaps. */
const margin = 30;

/** A live log with search and follow, fast even with a million lines. */
export function LogView({ source, label = 'Log' }: { source: LogSource; label?: string }) {
    const { lines, status, version } = useLogLines(source);
    const [wanted, setWanted] = useState('');
    const [current, setCurrent] = useState(0);
    const [follows, setFollows] = useState(true);
    const [times, setTimes] = useState(false);
    const found = useMemo(() => matching(lines, wanted), [lines, wanted, version]);
    const jump = found.length ? found[Math.min(current, found.length - 1)]! : null;
    const toasts = useToasts();
    const search = useId();

    const step = (by: number) => {
        if (!found.length) return;
        setFollows(false);
        setCurrent((Math.min(current, found.length - 1) + by + found.length) % found.length);
    };
    const onKey = (event: KeyboardEvent) => {
        if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape') setWanted('');
    };
    const copy = () => void navigator.clipboard?.writeText(lines.map((line) => line.text).join('\n')).then(() => toasts.say('Log copied.'));

    return (
        <div className="log">
            <div className="log-tools">
                <div className="search-field">
                    <Icon name="search" size={14} />
                    <input
                        id={search}
                        type="search"
                        placeholder="Search the log"
                        aria-label="Search the log"
                        value={wanted}
                        onChange={(event) => {
                            setWanted(event.target.value);
                            setCurrent(0);
                            if (event.target.value) setFollows(false);
                        }}
                        onKeyDown={onKey}
                    />
                </div>
                {wanted && (
                    <span className="log-found" role="status">
                        {found.length ? `${Math.min(current, found.length - 1) + 1} of ${countText(found.length)}` : 'not found'}
                        <button type="button" className="icon-button" aria-label="Previous match" disabled={!found.length} onClick={() => step(-1)}>
                            <Icon name="up" size={13} />
                        </button>
                        <button type="button" className="icon-button" aria-label="Next match" disabled={!found.length} onClick={() => step(1)}>
                            <Icon name="down" size={13} />
                        </button>
                    </span>
                )}
                <span className="log-status faint">
                    {countText(lines.length)} {lines.length === 1 ? 'line' : 'lines'}{status === 'live' ? ', live' : status === 'lost' ? ', connection lost, reconnecting' : ''}
                </span>
                <button type="button" className="button button-small" aria-pressed={times} onClick={() => setTimes(!times)}>
                    Times
                </button>
                <button type="button" className="button button-small" aria-pressed={follows} onClick={() => setFollows(!follows)}>
                    <Icon name="drain" size={13} /> Follow
                </button>
                <button type="button" className="button button-small" onClick={copy} disabled={!lines.length}>
                    <Icon name="copy" size={13} /> Copy
                </button>
            </div>
            <Lines lines={lines} version={version} wanted={wanted} jump={jump} follows={follows} setFollows={setFollows} times={times} label={label} status={status} />
        </div>
    );
}

const nothing: Record<LogStatus, string> = {
    loading: 'Reading the log…',
    live: 'No output yet.',
    lost: 'The log cannot be read at the moment.',
    ended: 'No output.',
    refused: 'Too many tasks for one log. Open one of the items.',
};

interface LinesProps {
    lines: LogLine[];
    version: number;
    wanted: string;
    jump: number | null;
    follows: boolean;
    setFollows: (follows: boolean) => void;
    times: boolean;
    label: string;
    status: LogStatus;
}

function Lines({ lines, version, wanted, jump, follows, setFollows, times, label, status }: LinesProps) {
    const box = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    const [height, setHeight] = useState(400);
    const byUs = useRef(false);

    useLayoutEffect(() => {
        const element = box.current!;
        const observer = new ResizeObserver(() => setHeight(element.clientHeight));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    useLayoutEffect(() => {
        if (!follows || !box.current) return;
        byUs.current = true;
        box.current.scrollTop = box.current.scrollHeight;
    }, [follows, version, height]);
    useEffect(() => {
        if (jump === null || !box.current) return;
        byUs.current = true;
        box.current.scrollTop = jump * lineHeight - box.current.clientHeight / 2;
    }, [jump, wanted]);

    const onScroll = () => {
        const element = box.current!;
        setTop(element.scrollTop);
        const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < lineHeight;
        if (byUs.current) byUs.current = false;
        else if (follows !== atEnd && !(atEnd && wanted)) setFollows(atEnd);
    };

    const first = Math.max(0, Math.floor(top / lineHeight) - margin);
    const last = Math.min(lines.length, Math.ceil((top + height) / lineHeight) + margin);
    const now = new Date();
    return (
        <div ref={box} className="log-lines" tabIndex={0} role="log" aria-label={label} aria-live="off" onScroll={onScroll}>
            {lines.length === 0 && <p className="log-empty">{nothing[status]}</p>}
            <div style={{ height: lines.length * lineHeight, position: 'relative' }}>
                <div className="log-window" style={{ transform: `translateY(${first * lineHeight}px)` }}>
                    {lines.slice(first, last).map((line, index) => (
                        <div key={first + index} className={`log-line log-${line.stream} ${first + index === jump ? 'log-jump' : ''}`}>
                            <span className="log-number">{first + index + 1}</span>
                            {times && (
                                <time className="log-time" dateTime={line.at} title={bothClocks(line.at)}>
                                    {localTime(line.at, now)}
                                </time>
                            )}
                            {line.step && <span className="log-step">{line.step}</span>}
                            {line.stream === 'stderr' && <span className="log-mark">err</span>}
                            <span className="log-text">
                                {wanted ? marked(line.text, wanted).map((piece, at) => (at % 2 ? <mark key={at}>{piece}</mark> : piece)) : line.text}
                            </span>
                        </div>
                    ))}
                </div>
            </div>
        </div>
    );
}

import { useState, type ReactNode } from 'react';
import type { Json } from '../api/types';
import { Icon } from './Icon';
import { useToasts } from './Toasts';

/** Values that are deeper or longer than this start collapsed. */
const openDepth = 3;
const openLength = 40;
/** The number of members drawn at once. */
const portion = 200;
const longText = 600;

export function summaryOf(value: Json[] | { [key: string]: Json }): string {
    const count = Object.keys(value).length;
    const [open, close, word] = Array.isArray(value) ? ['[', ']', 'item'] : ['{', '}', 'member'];
    return count === 0 ? `${open}${close}` : `${open} ${count} ${word}${count === 1 ? '' : 's'} ${close}`;
}

export const beginsOpen = (value: Json[] | { [key: string]: Json }, depth: number) => depth < openDepth && Object.keys(value).length <= openLength;

/** A JSON value as a tree whose parts can be opened and closed. */
export function JsonView({ value, label }: { value: Json; label: string }) {
    const toasts = useToasts();
    const copy = () => void navigator.clipboard?.writeText(JSON.stringify(value, null, 2)).then(() => toasts.say('Copied as JSON.'));
    return (
        <div className="json" role="group" aria-label={label}>
            <button type="button" className="icon-button json-copy" aria-label={`Copy ${label} as JSON`} onClick={copy}>
                <Icon name="copy" size={14} />
            </button>
            <Value value={value} depth={0} />
        </div>
    );
}

function Value({ value, depth, name }: { value: Json; depth: number; name?: ReactNode }) {
    if (value !== null && typeof value === 'object') return <Nested value={value} depth={depth} name={name} />;
    return (
        <div className="json-line">
            {name}
            <Scalar value={value} />
        </div>
    );
}

function Scalar({ value }: { value: null | boolean | number | string }) {
    const [whole, setWhole] = useState(false);
    if (typeof value !== 'string') return <span className={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
    const isLong = value.length > longText && !whole;
    return (
        <span className="json-string">
            "{isLong ? `${value.slice(0, longText)}…` : value}"
            {isLong && (
                <button type="button" className="link-button" onClick={() => setWhole(true)}>
                    all {value.length.toLocaleString('en-US')} characters
                </button>
            )}
        </span>
    );
}

function Nested({ value, depth, name }: { value: Json[] | { [key: string]: Json }; depth: number; name?: ReactNode }) {
    const [open, setOpen] = useState(() => beginsOpen(value, depth));
    const [shown, setShown] = useState(portion);
    const isList = Array.isArray(value);
    const members = Object.entries(value);
    if (members.length === 0)
        return (
            <div className="json-line">
                {name}
                <span className="json-mark">{summaryOf(value)}</span>
            </div>
        );
    return (
        <div className="json-nested">
            <div className="json-line">
                <button type="button" className="json-fold" aria-expanded={open} onClick={() => setOpen(!open)} aria-label={open ? 'Close' : 'Open'}>
                    <Icon name={open ? 'down' : 'right'} size={11} />
                </button>
                {name}
                <span className="json-mark">{open ? (isList ? '[' : '{') : summaryOf(value)}</span>
            </div>
            {open && (
                <div className="json-members">
                    {members.slice(0, shown).map(([key, member]) => (
                        <Value key={key} value={member as Json} depth={depth + 1} name={isList ? <span className="json-index">{key}</span> : <span className="json-key">{key}</span>} />
                    ))}
                    {members.length > shown && (
                        <button type="button" className="link-button" onClick={() => setShown(shown + portion)}>
                            {members.length - shown} more
                        </button>
                    )}
                </div>
            )}
            {open && <div className="json-line json-mark">{isList ? ']' : '}'}</div>}
        </div>
    );
}

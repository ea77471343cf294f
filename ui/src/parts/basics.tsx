import { useEffect, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import type { Progress } from '../api/types';
import { percentText } from '../text/number';
import { shortId } from '../text/words';
import { Icon, type IconName } from './Icon';
import { useToasts } from './Toasts';

export function Page({ title, lead, actions, children, crumb }: { title: ReactNode; lead?: ReactNode; actions?: ReactNode; children: ReactNode; crumb?: ReactNode }) {
    return (
        <>
            <header className="page-head">
                <div className="page-title">
                    {crumb && <p className="crumb">{crumb}</p>}
                    <h1>{title}</h1>
                    {lead && <div className="lead">{lead}</div>}
                </div>
                {actions && <div className="page-actions">{actions}</div>}
            </header>
            {children}
        </>
    );
}

export function useTitle(title: string) {
    useEffect(() => {
        document.title = `${title} · Holdfast`;
    }, [title]);
}

export function Card({ title, aside, children, className = '', id }: { title?: ReactNode; aside?: ReactNode; children: ReactNode; className?: string; id?: string }) {
    return (
        <section className={`card ${className}`} id={id}>
            {title && (
                <header className="card-head">
                    <h2>{title}</h2>
                    {aside && <div className="card-aside">{aside}</div>}
                </header>
            )}
            {children}
        </section>
    );
}

/** The message for an empty list, with the next step. */
export function Empty({ icon = 'info', title, children }: { icon?: IconName; title: string; children?: ReactNode }) {
    return (
        <div className="empty">
            <Icon name={icon} size={24} />
            <p className="empty-title">{title}</p>
            {children && <div className="empty-text">{children}</div>}
        </div>
    );
}

export function Command({ children }: { children: string }) {
    const toasts = useToasts();
    const copy = () => void navigator.clipboard?.writeText(children).then(() => toasts.say('Copied.'));
    return (
        <code className="command">
            <span>{children}</span>
            <button type="button" className="icon-button" onClick={copy} aria-label={`Copy: ${children}`}>
                <Icon name="copy" size={14} />
            </button>
        </code>
    );
}

/** The heads of a table's columns, each with its class if it has one; `actions`: a last column of buttons. */
export function Head({ columns, actions = false }: { columns: (string | [title: string, className: string])[]; actions?: boolean }) {
    return (
        <thead>
            <tr>
                {columns.map((column) => {
                    const [title, className] = typeof column === 'string' ? [column] : column;
                    return (
                        <th key={title} scope="col" className={className}>
                            {title}
                        </th>
                    );
                })}
                {actions && (
                    <th scope="col">
                        <span className="unseen">Actions</span>
                    </th>
                )}
            </tr>
        </thead>
    );
}

/** What a query found: its error, a placeholder while it loads, `empty` when there is nothing, or the list. */
export function Loaded<T>({ query, what, lines, empty, children }: { query: { data?: T[]; error: unknown; refetch: () => unknown }; what: string; lines: number; empty: ReactNode; children: (items: T[]) => ReactNode }) {
    if (query.error && !query.data) return <Failed error={query.error} what={what} retry={() => void query.refetch()} />;
    if (!query.data) return <Skeleton lines={lines} height={44} />;
    return <>{query.data.length === 0 ? empty : children(query.data)}</>;
}

/** The message for a failed request, with a button to try again. */
export function Failed({ error, retry, what }: { error: unknown; retry?: () => void; what: string }) {
    const problem = error instanceof ApiError ? error.problem : null;
    return (
        <div className="failed" role="alert">
            <Icon name="warning" size={20} />
            <div>
                <p className="failed-title">{what} could not be read</p>
                <p>{error instanceof Error ? error.message : String(error)}</p>
                {problem?.code && <p className="faint">{problem.code}</p>}
            </div>
            {retry && (
                <button type="button" className="button" onClick={retry}>
                    Try again
                </button>
            )}
        </div>
    );
}

/** Placeholder lines while text loads, as high as the text. */
export function Skeleton({ lines = 3, height = 20 }: { lines?: number; height?: number }) {
    return (
        <div className="skeleton" role="status" aria-label="Loading">
            {Array.from({ length: lines }, (_, index) => (
                <div key={index} className="skeleton-line" style={{ height: height - 8, width: `${92 - ((index * 17) % 40)}%` }} />
            ))}
        </div>
    );
}

export function ProgressBar({ progress, label = 'Progress' }: { progress: Pick<Progress, 'fraction' | 'text'>; label?: string }) {
    const fraction = Math.min(1, Math.max(0, progress.fraction));
    return (
        <div className="progress">
            <div className="progress-track" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.floor(fraction * 100)}>
                <div className="progress-fill" style={{ width: `${fraction * 100}%` }} />
            </div>
            <span className="progress-text">
                {percentText(fraction)}
                {progress.text && <span className="faint"> {progress.text}</span>}
            </span>
        </div>
    );
}

/** A short id: the tooltip shows it in full, and a click copies it. */
export function CopyId({ id, whole = false }: { id: string; whole?: boolean }) {
    const toasts = useToasts();
    const copy = () =>
        void navigator.clipboard?.writeText(id).then(
            () => toasts.say('Id copied.'),
            () => toasts.complain('The browser did not allow access to the clipboard.'),
        );
    return (
        <span className="copy-id">
            <code title={id}>{whole ? id : shortId(id)}</code>
            <button type="button" className="icon-button" onClick={copy} aria-label={`Copy id ${id}`}>
                <Icon name="copy" size={13} />
            </button>
        </span>
    );
}

export type Fact = [label: string, value: ReactNode];
/** Names and values; entries without a value are omitted. */
export function Facts({ facts }: { facts: (Fact | null | false)[] }) {
    return (
        <dl className="facts">
            {facts.map((fact) =>
                fact && fact[1] !== null && fact[1] !== undefined ? (
                    <div key={fact[0]}>
                        <dt>{fact[0]}</dt>
                        <dd>{fact[1]}</dd>
                    </div>
                ) : null,
            )}
        </dl>
    );
}

export function Tags({ tags }: { tags: string[] }) {
    return (
        <span className="tags">
            {tags.map((tag) => (
                <span key={tag} className="tag">
                    {tag}
                </span>
            ))}
        </span>
    );
}

/** A choice between a few options, as a row of buttons. */
export function Choice<T extends string>({ label, options, value, onChange }: { label: string; options: readonly (readonly [T, string])[]; value: T; onChange: (value: T) => void }) {
    return (
        <div className="choice" role="group" aria-label={label}>
            {options.map(([option, text]) => (
                <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
                    {text}
                </button>
            ))}
        </div>
    );
}

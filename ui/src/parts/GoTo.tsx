import { useEffect, useRef, useState, type FormEvent } from 'react';
import { get, part } from '../api/client';
import type { Page } from '../api/shapes';
import type { Worker } from '../api/types';
import { navigate } from '../router/router';
import { Icon } from './Icon';
import { useToasts } from './Toasts';

type Found = { items: { id: string }[] };

/** The page for an id, a prefix of an id, or a worker's name. */
async function find(text: string): Promise<string | null> {
    const isId = /^[0-9a-f][0-9a-f-]*$/i.test(text);
    if (isId) {
        const [jobs, tasks] = await Promise.all([
            get<Found>('/jobs', { id: text, children: true, limit: 2 }),
            get<Found>('/tasks', { id: text, limit: 2 }),
        ]);
        if (jobs.items.length + tasks.items.length === 1) return jobs.items[0] ? `/jobs/${jobs.items[0].id}` : `/tasks/${tasks.items[0]!.id}`;
        if (tasks.items.length > 1) return `/tasks?id=${part(text)}`;
        if (jobs.items.length > 1) return `/jobs?id=${part(text)}`;
    }
    const workers = await get<Page<Worker>>('/workers', { all: true });
    const worker = workers.items.find((one) => one.name === text || one.id.startsWith(text));
    if (worker) return `/workers/${part(worker.id)}`;
    return isId ? null : `/tasks?name=${part(text)}`;
}

/** The search field at the top. The key / focuses it. */
export function GoTo() {
    const [text, setText] = useState('');
    const field = useRef<HTMLInputElement>(null);
    const toasts = useToasts();
    useEffect(() => {
        const focus = (event: KeyboardEvent) => {
            const at = event.target as HTMLElement;
            if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
            event.preventDefault();
            field.current?.focus();
        };
        document.addEventListener('keydown', focus);
        return () => document.removeEventListener('keydown', focus);
    }, []);
    const go = async (event: FormEvent) => {
        event.preventDefault();
        const wanted = text.trim();
        if (!wanted) return;
        try {
            const to = await find(wanted);
            if (!to) return toasts.complain(`No id begins with ${wanted}.`);
            setText('');
            navigate(to);
        } catch (error) {
            toasts.complain((error as Error).message);
        }
    };
    return (
        <form className="search-field goto" role="search" onSubmit={(event) => void go(event)}>
            <Icon name="search" size={14} />
            <input ref={field} type="search" value={text} onChange={(event) => setText(event.target.value)} placeholder="Go to an id, a task's name, a worker" aria-label="Go to an id, a task's name, a worker" spellCheck={false} autoComplete="off" />
            <kbd aria-hidden="true">/</kbd>
        </form>
    );
}

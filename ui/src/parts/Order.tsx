import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import { scopes, type Scope } from '../api/types';
import { useSession } from '../session';
import { Dialog } from './Dialog';
import { Icon, type IconName } from './Icon';
import { useToasts } from './Toasts';

export function useMay(scope: Scope): boolean {
    return scopes.indexOf(useSession().scope) >= scopes.indexOf(scope);
}

export interface Outcome {
    text: string;
    link?: { to: string; text: string };
    /** The order was accepted but had no effect. */
    bad?: boolean;
}

/** Sends an order, reports the outcome, and refreshes the data that it may have changed. */
export function useOrder() {
    const client = useQueryClient();
    const toasts = useToasts();
    return async (give: () => Promise<Outcome>): Promise<ApiError | null> => {
        try {
            const { text, link, bad } = await give();
            if (bad) toasts.complain(text);
            else toasts.say(text, link ?? null);
            return null;
        } catch (error) {
            const told = error instanceof ApiError ? error : new ApiError({ type: '', status: 0, title: '', code: '', detail: String(error) });
            toasts.complain(told.message);
            return told;
        } finally {
            void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' && query.queryKey[0] !== 'definition' });
        }
    };
}

interface OrderButtonProps {
    label: string;
    icon?: IconName;
    /** The confirmation dialog; without it the order is sent at once. */
    confirm?: { title: string; text: ReactNode; button?: string };
    reason?: 'optional' | 'required';
    danger?: boolean;
    primary?: boolean;
    small?: boolean;
    scope?: Scope;
    give: (reason: string) => Promise<Outcome>;
}

export function OrderButton({ label, icon, confirm, reason, danger, primary, small, scope = 'operate', give }: OrderButtonProps) {
    const [asks, setAsks] = useState(false);
    const [busy, setBusy] = useState(false);
    const may = useMay(scope);
    const order = useOrder();
    const run = async (why: string) => {
        setBusy(true);
        const failure = await order(() => give(why));
        setBusy(false);
        if (!failure) setAsks(false);
        return failure;
    };
    const classes = `button ${danger ? 'button-danger' : ''} ${primary ? 'button-primary' : ''} ${small ? 'button-small' : ''}`;
    return (
        <>
            <button
                type="button"
                className={classes}
                disabled={!may || busy}
                title={may ? undefined : `This needs the scope ${scope}.`}
                onClick={() => (confirm ? setAsks(true) : void run(''))}
            >
                {icon && <Icon name={icon} size={14} />}
                {label}
            </button>
            {asks && confirm && <Confirm confirm={confirm} label={label} reason={reason} danger={danger ?? false} busy={busy} onClose={() => setAsks(false)} run={run} />}
        </>
    );
}

interface ConfirmProps {
    confirm: NonNullable<OrderButtonProps['confirm']>;
    label: string;
    reason: OrderButtonProps['reason'];
    danger: boolean;
    busy: boolean;
    onClose: () => void;
    run: (reason: string) => Promise<ApiError | null>;
}

function Confirm({ confirm, label, reason, danger, busy, onClose, run }: ConfirmProps) {
    const [why, setWhy] = useState('');
    const [failure, setFailure] = useState<ApiError | null>(null);
    const field = useId();
    const submit = async (event: FormEvent) => {
        event.preventDefault();
        setFailure(await run(why.trim()));
    };
    return (
        <Dialog title={confirm.title} onClose={onClose}>
            <form onSubmit={(event) => void submit(event)}>
                <div className="dialog-text">{confirm.text}</div>
                {reason && (
                    <div className="field">
                        <label htmlFor={field}>Reason{reason === 'optional' ? ' (optional)' : ''}</label>
                        <input id={field} value={why} onChange={(event) => setWhy(event.target.value)} required={reason === 'required'} autoFocus maxLength={500} autoComplete="off" />
                        <p className="hint">The history records it with your name.</p>
                    </div>
                )}
                {failure && (
                    <p className="field-error" role="alert">
                        {failure.message}
                    </p>
                )}
                <div className="dialog-buttons">
                    <button type="button" className="button" onClick={onClose}>
                        Back
                    </button>
                    <button type="submit" className={`button ${danger ? 'button-danger-solid' : 'button-primary'}`} disabled={busy}>
                        {confirm.button ?? label}
                    </button>
                </div>
            </form>
        </Dialog>
    );
}

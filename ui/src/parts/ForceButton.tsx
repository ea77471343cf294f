import { useId, useState, type FormEvent } from 'react';
import { part, post } from '../api/client';
import type { Task } from '../api/types';
import { Dialog } from './Dialog';
import { Icon } from './Icon';
import { useMay, useOrder } from './Order';

/** The last resort: ends a task regardless of its worker. */
export function ForceButton({ task }: { task: Task }) {
    const [open, setOpen] = useState(false);
    const [state, setState] = useState<'FAILED' | 'CANCELLED'>('FAILED');
    const [reason, setReason] = useState('');
    const [failure, setFailure] = useState<string | null>(null);
    const may = useMay('operate');
    const order = useOrder();
    const field = useId();
    const give = async (event: FormEvent) => {
        event.preventDefault();
        const error = await order(async () => {
            const { status } = await post<{ status: string }>(`/tasks/${part(task.id)}/force`, { state, reason: reason.trim() });
            return status === 'applied' ? { text: `The task was forced to ${state}.` } : { text: 'The task had already ended; nothing was changed.', bad: true };
        });
        setFailure(error ? error.message : null);
        if (!error) setOpen(false);
    };
    return (
        <>
            <button type="button" className="button" disabled={!may} title={may ? undefined : 'This needs the scope operate.'} onClick={() => setOpen(true)}>
                <Icon name="bolt" size={14} /> Force…
            </button>
            {open && (
                <Dialog title="End this task by force?" onClose={() => setOpen(false)}>
                    <form onSubmit={(event) => void give(event)}>
                        <p className="dialog-text">The task ends now, regardless of its worker, and a later result is refused. Cancel is safer: it waits until the run is dead.</p>
                        <fieldset className="field">
                            <legend>It ends as</legend>
                            {(['FAILED', 'CANCELLED'] as const).map((one) => (
                                <label key={one} className="radio">
                                    <input type="radio" name={`${field}-state`} checked={state === one} onChange={() => setState(one)} /> {one}
                                </label>
                            ))}
                        </fieldset>
                        <div className="field">
                            <label htmlFor={field}>Reason</label>
                            <input id={field} value={reason} onChange={(event) => setReason(event.target.value)} required autoFocus maxLength={500} autoComplete="off" />
                            <p className="hint">The history records it with your name.</p>
                        </div>
                        {failure && (
                            <p className="field-error" role="alert">
                                {failure}
                            </p>
                        )}
                        <div className="dialog-buttons">
                            <button type="button" className="button" onClick={() => setOpen(false)}>
                                Back
                            </button>
                            <button type="submit" className="button button-danger-solid" disabled={!reason.trim()}>
                                End it by force
                            </button>
                        </div>
                    </form>
                </Dialog>
            )}
        </>
    );
}

import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from './Icon';

/** Keeps the focus inside while it is open, closes on Escape, and then returns the focus. */
export function Dialog({ title, onClose, children, wide = false }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
    const element = useRef<HTMLDialogElement>(null);
    const heading = useId();
    useEffect(() => {
        const dialog = element.current;
        const before = document.activeElement;
        dialog?.showModal();
        dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
        return () => {
            dialog?.close();
            if (before instanceof HTMLElement) before.focus();
        };
    }, []);
    return (
        <dialog
            ref={element}
            className={`dialog ${wide ? 'dialog-wide' : ''}`}
            aria-labelledby={heading}
            onCancel={(event) => {
                event.preventDefault();
                onClose();
            }}
            onMouseDown={(event) => event.target === element.current && onClose()}
        >
            <div className="dialog-body">
                <header className="dialog-head">
                    <h2 id={heading}>{title}</h2>
                    <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
                        <Icon name="close" />
                    </button>
                </header>
                {children}
            </div>
        </dialog>
    );
}

import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react';
import { Icon } from './Icon';

interface Toast {
    id: number;
    text: string;
    bad: boolean;
    link: { to: string; text: string } | null;
}
interface Toasts {
    say(text: string, link?: Toast['link']): void;
    complain(text: string): void;
}

const Context = createContext<Toasts>({ say: () => {}, complain: () => {} });
export const useToasts = () => useContext(Context);

const goodFor = 6000;
const badFor = 15_000;
/** Long enough to read it and to reach the link. */
const linkFor = 20_000;

/** The outcome of each action, also announced to screen readers. */
export function ToastProvider({ children, renderLink }: { children: ReactNode; renderLink: (to: string, text: string) => ReactNode }) {
    const [shown, setShown] = useState<Toast[]>([]);
    const last = useRef(0);
    const dismiss = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), []);
    const add = useCallback(
        (text: string, bad: boolean, link: Toast['link']) => {
            const id = ++last.current;
            setShown((all) => [...all.slice(-3), { id, text, bad, link }]);
            setTimeout(() => dismiss(id), bad ? badFor : link ? linkFor : goodFor);
        },
        [dismiss],
    );
    const toasts = useMemo<Toasts>(() => ({ say: (text, link = null) => add(text, false, link), complain: (text) => add(text, true, null) }), [add]);
    return (
        <Context.Provider value={toasts}>
            {children}
            <div className="toasts" role="region" aria-label="Notifications">
                <div aria-live="polite">{shown.filter((toast) => !toast.bad).map(draw)}</div>
                <div aria-live="assertive">{shown.filter((toast) => toast.bad).map(draw)}</div>
            </div>
        </Context.Provider>
    );

    function draw(toast: Toast) {
        return (
            <div key={toast.id} className={`toast ${toast.bad ? 'toast-bad' : 'toast-good'}`}>
                <Icon name={toast.bad ? 'warning' : 'check'} />
                <span>
                    {toast.text} {toast.link && renderLink(toast.link.to, toast.link.text)}
                </span>
                <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
                    <Icon name="close" size={13} />
                </button>
            </div>
        );
    }
}

import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from 'react';

const changed = 'holdfast:navigated';

function subscribe(listener: () => void) {
    window.addEventListener('popstate', listener);
    window.addEventListener(changed, listener);
    return () => {
        window.removeEventListener('popstate', listener);
        window.removeEventListener(changed, listener);
    };
}

export const usePath = () => useSyncExternalStore(subscribe, () => window.location.pathname);
export const useSearch = () => useSyncExternalStore(subscribe, () => window.location.search);

/** `replace`: adds no entry to the history, for filters that change during typing. */
export function navigate(to: string, replace = false): void {
    const fromPath = window.location.pathname;
    if (replace) window.history.replaceState(null, '', to);
    else window.history.pushState(null, '', to);
    if (window.location.pathname !== fromPath) window.scrollTo(0, 0);
    window.dispatchEvent(new Event(changed));
}

/** A link inside the page. It is a real link for the middle mouse button and the keyboard. */
export function Link({ to, onClick, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
    const follow = (event: MouseEvent<HTMLAnchorElement>) => {
        onClick?.(event);
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
        if (event.defaultPrevented || !isPlain) return;
        event.preventDefault();
        navigate(to);
    };
    return <a href={to} onClick={follow} {...rest} />;
}

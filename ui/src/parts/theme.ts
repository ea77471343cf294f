import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const key = 'holdfast.theme';
const changed = 'holdfast:theme';
const system = () => window.matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
    const theme = document.documentElement.dataset.theme;
    return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
        if (theme === 'system') localStorage.removeItem(key);
        else localStorage.setItem(key, theme);
    } catch {
        // It lasts as long as the page, then.
    }
    window.dispatchEvent(new Event(changed));
}

function subscribe(listener: () => void) {
    const query = system();
    query.addEventListener('change', listener);
    window.addEventListener(changed, listener);
    return () => {
        query.removeEventListener('change', listener);
        window.removeEventListener(changed, listener);
    };
}

export const useChosenTheme = () => useSyncExternalStore(subscribe, chosenTheme);

/** The theme in use. */
export const useTheme = () =>
    useSyncExternalStore(subscribe, () => {
        const theme = chosenTheme();
        return theme === 'system' ? (system().matches ? 'dark' : 'light') : theme;
    });

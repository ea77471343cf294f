import { createContext, useContext } from 'react';
import type { Session } from './api/types';

const Context = createContext<Session | null>(null);
export const SessionProvider = Context.Provider;

/** The current session. Only inside the shell, which requires one. */
export function useSession(): Session {
    const session = useContext(Context);
    if (!session) throw new Error('useSession() was called outside of a session');
    return session;
}

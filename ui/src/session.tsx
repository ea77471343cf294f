import { createContext, useContext } from 'react';
import type { Session } from './api/types';

const Context = createContext<Session | null>(null);
export const SessionProvider = Context.Provider;

/** Who is logged in. Only inside of the shell, which shows nothing to anybody else. */
export function useSession(): Session {
    const session = useContext(Context);
    if (!session) throw new Error('there is no session here');
    return session;
}

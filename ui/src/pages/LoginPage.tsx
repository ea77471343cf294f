import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { ApiError, post } from '../api/client';
import { Command, useTitle } from '../parts/basics';

/** Login with a token, which stays in a cookie that scripts cannot read. */
export function LoginPage({ reason }: { reason: ApiError }) {
    useTitle('Log in');
    const client = useQueryClient();
    const [token, setToken] = useState('');
    const [failure, setFailure] = useState<string | null>(reason.code === 'BAD_TOKEN' ? reason.message : null);
    const [busy, setBusy] = useState(false);
    const field = useId();
    const logIn = async (event: FormEvent) => {
        event.preventDefault();
        setBusy(true);
        try {
            await post('/session', { token: token.trim() });
            setFailure(null);
            await client.resetQueries();
        } catch (error) {
            setFailure((error as Error).message);
        } finally {
            setBusy(false);
        }
    };
    return (
        <main className="login">
            <form className="login-box" onSubmit={(event) => void logIn(event)}>
                <img src="/favicon.svg" alt="" width={44} height={44} />
                <h1>Holdfast</h1>
                <p className="lead">This server requires a token.</p>
                <div className="field">
                    <label htmlFor={field}>Token</label>
                    <input
                        id={field}
                        type="password"
                        value={token}
                        onChange={(event) => setToken(event.target.value)}
                        autoComplete="current-password"
                        spellCheck={false}
                        required
                        autoFocus
                        aria-invalid={failure !== null}
                        aria-describedby={failure ? `${field}-error` : undefined}
                    />
                    {failure && (
                        <p className="field-error" role="alert" id={`${field}-error`}>
                            {failure}
                        </p>
                    )}
                </div>
                <button type="submit" className="button button-primary button-wide" disabled={busy || !token.trim()}>
                    {busy ? 'Logging in…' : 'Log in'}
                </button>
                <div className="login-help">
                    <p>To create a token, run this on a machine with access to the store:</p>
                    <Command>holdfast tokens create me --scope operate</Command>
                </div>
            </form>
        </main>
    );
}

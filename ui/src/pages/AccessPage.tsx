import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { part, post, remove } from '../api/client';
import { sessionsQuery, tokensQuery } from '../api/queries';
import { scopes, type Scope, type Token } from '../api/types';
import { Card, Command, Empty, Facts, Head, Loaded, Page, Tags, useTitle } from '../parts/basics';
import { Dialog } from '../parts/Dialog';
import { Icon } from '../parts/Icon';
import { OrderButton, useMay, useOrder } from '../parts/Order';
import { Ago } from '../parts/Time';
import { useSession } from '../session';

export function AccessPage() {
    useTitle('Access');
    return (
        <Page title="Access" lead="Your access to this server, and the access of others.">
            <Me />
            <Tokens />
            <Sessions />
        </Page>
    );
}

const scopeWords: Record<Scope, string> = {
    work: 'be a worker behind this server, and nothing else',
    read: 'can see everything, and change nothing',
    submit: 'can also submit tasks and jobs of the catalog',
    operate: 'can also control tasks, jobs, workers, queues and schedules, and run scripts of its own where the server allows it',
    admin: 'can also create and revoke tokens',
};

function Me() {
    const session = useSession();
    const client = useQueryClient();
    const order = useOrder();
    const logOut = () =>
        order(async () => {
            await remove('/session');
            await client.resetQueries();
            return { text: 'You are logged out.' };
        });
    return (
        <Card
            title="You"
            aside={
                session.login === 'token' && (
                    <button type="button" className="button button-small" onClick={() => void logOut()}>
                        <Icon name="exit" size={14} /> Log out
                    </button>
                )
            }
        >
            <Facts
                facts={[
                    ['Name', session.name],
                    ['Scope', `${session.scope}: ${scopeWords[session.scope]}`],
                    ['Queues', session.queues?.length ? <Tags tags={session.queues} /> : 'all'],
                    ['Server', `version ${session.version}`],
                    ['Store', session.store && <code>{session.store}</code>],
                    ['API', <a href="/api/docs">documentation of the HTTP API</a>],
                ]}
            />
            {session.login === 'none' && (
                <p className="banner banner-wait">
                    <Icon name="info" />
                    <span>No token exists, so this server listens on loopback only, and every caller has full access. Create a token to change that.</span>
                </p>
            )}
        </Card>
    );
}

function Tokens() {
    const session = useSession();
    const isAdmin = useMay('admin') && session.queues.length === 0;
    const tokens = useQuery({ ...tokensQuery, enabled: isAdmin });
    const [creating, setCreating] = useState(false);
    if (!isAdmin)
        return (
            <Card title="Tokens">
                <Empty icon="access" title="Managing tokens needs the scope admin, for all queues">
                    Your scope is {session.scope}, for {session.queues.length === 0 ? 'all queues' : session.queues.join(', ')}.
                </Empty>
            </Card>
        );
    return (
        <Card
            title="Tokens"
            aside={
                <button type="button" className="button button-small" onClick={() => setCreating(true)}>
                    <Icon name="plus" size={14} /> New token
                </button>
            }
        >
            <Loaded query={tokens} what="The list of tokens" lines={3} empty={<NoTokens />}>
                {(all) => <TokenTable tokens={all} />}
            </Loaded>
            {creating && <NewToken onClose={() => setCreating(false)} />}
        </Card>
    );
}

function NoTokens() {
    return (
        <Empty icon="access" title="There are no tokens">
            <p>Create one for each program or person, with the smallest sufficient scope. On the command line:</p>
            <Command>holdfast tokens create ci --scope submit</Command>
        </Empty>
    );
}

function conditionOf(token: Token): 'valid' | 'revoked' | 'expired' {
    if (token.revoked_at) return 'revoked';
    return token.expires_at && Date.parse(token.expires_at) < Date.now() ? 'expired' : 'valid';
}

function TokenTable({ tokens }: { tokens: Token[] }) {
    return (
        <table className="table cards">
            <Head columns={['Name', 'Scope', 'Queues', 'Status', 'Last use', 'Created']} actions />
            <tbody>
                {tokens.map((token) => {
                    const condition = conditionOf(token);
                    return (
                        <tr key={token.id} className={condition === 'valid' ? '' : 'is-gone'}>
                            <th scope="row" data-label="Name">
                                {token.name}
                            </th>
                            <td data-label="Scope">{token.scope}</td>
                            <td data-label="Queues">{token.queues?.length ? <Tags tags={token.queues} /> : 'all'}</td>
                            <td data-label="Status">
                                <span className={`state state-quiet is-${condition === 'valid' ? 'fresh' : 'inactive'}`}>
                                    <Icon name={condition === 'valid' ? 'check' : 'slash'} size={14} /> {condition}
                                </span>
                                {condition === 'valid' && token.expires_at && (
                                    <span className="faint">
                                        {' '}
                                        expires <Ago at={token.expires_at} />
                                    </span>
                                )}
                            </td>
                            <td data-label="Last use">
                                {token.last_used_at ? (
                                    <>
                                        <Ago at={token.last_used_at} /> <span className="faint">{token.last_used_from}</span>
                                    </>
                                ) : (
                                    <span className="faint">never</span>
                                )}
                            </td>
                            <td data-label="Created">
                                <Ago at={token.created_at} /> <span className="faint">by {token.created_by}</span>
                            </td>
                            <td className="row-actions">
                                {condition === 'valid' && (
                                    <OrderButton
                                        label="Revoke"
                                        small
                                        danger
                                        scope="admin"
                                        confirm={{ title: `Revoke token ${token.name}?`, text: 'The server refuses it from now on. This cannot be undone.', button: 'Revoke it' }}
                                        give={async () => {
                                            await remove(`/tokens/${part(token.name)}`);
                                            return { text: `Token ${token.name} is revoked.` };
                                        }}
                                    />
                                )}
                            </td>
                        </tr>
                    );
                })}
            </tbody>
        </table>
    );
}

function Sessions() {
    const me = useSession();
    const mayList = useMay('admin') && me.queues.length === 0;
    const sessions = useQuery({ ...sessionsQuery, enabled: mayList });
    if (!mayList || !sessions.data?.length) return null;
    return (
        <Card title="Logged in at the page">
            <table className="table cards">
                <Head columns={['Token', 'Logged in', 'Last use']} actions />
                <tbody>
                    {sessions.data.map((one) => (
                        <tr key={one.id}>
                            <th scope="row" data-label="Token">
                                {one.token} {one.id === me.session && <span className="faint">this page</span>}
                            </th>
                            <td data-label="Logged in">
                                <Ago at={one.created_at} /> <span className="faint">{one.created_from}</span>
                            </td>
                            <td data-label="Last use">
                                <Ago at={one.last_used_at} /> <span className="faint">{one.last_used_from}</span>
                            </td>
                            <td className="row-actions">
                                <OrderButton
                                    label="Log out"
                                    small
                                    danger
                                    scope="admin"
                                    confirm={{ title: `Log ${one.token} out?`, text: 'The page asks for a token again. The token itself stays valid.', button: 'Log it out' }}
                                    give={async () => {
                                        await remove(`/sessions/${one.id}`);
                                        return { text: `A session of ${one.token} is ended.` };
                                    }}
                                />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </Card>
    );
}

function NewToken({ onClose }: { onClose: () => void }) {
    const [name, setName] = useState('');
    const [scope, setScope] = useState<Scope>('read');
    const [queues, setQueues] = useState('');
    const [expires, setExpires] = useState('720h');
    const [made, setMade] = useState<string | null>(null);
    const [failure, setFailure] = useState<string | null>(null);
    const order = useOrder();
    const id = useId();
    const create = async (event: FormEvent) => {
        event.preventDefault();
        const error = await order(async () => {
            const list = queues.split(',').map((queue) => queue.trim()).filter(Boolean);
            const answer = await post<{ token: string }>('/tokens', { name: name.trim(), scope, queues: list, ...(expires ? { expires_in: expires } : {}) });
            setMade(answer.token);
            return { text: `Token ${name.trim()} is created.` };
        });
        setFailure(error ? [error.message, ...(error.problem.errors ?? []).map((one) => one.detail)].join(' ') : null);
    };
    if (made)
        return (
            <Dialog title="Copy the token now" onClose={onClose}>
                <p className="dialog-text">The token is shown only this once. The store keeps its hash.</p>
                <Command>{made}</Command>
                <div className="dialog-buttons">
                    <button type="button" className="button button-primary" onClick={onClose}>
                        I have copied it
                    </button>
                </div>
            </Dialog>
        );
    return (
        <Dialog title="New token" onClose={onClose}>
            <form onSubmit={(event) => void create(event)}>
                <div className="field">
                    <label htmlFor={`${id}-name`}>Name</label>
                    <input id={`${id}-name`} value={name} onChange={(event) => setName(event.target.value)} required autoFocus autoComplete="off" placeholder="the person or program that uses it" />
                </div>
                <fieldset className="field">
                    <legend>Scope</legend>
                    {scopes.map((one) => (
                        <label key={one} className="radio">
                            <input type="radio" name={`${id}-scope`} checked={scope === one} onChange={() => setScope(one)} /> <strong>{one}</strong> <span className="faint">{scopeWords[one]}</span>
                        </label>
                    ))}
                </fieldset>
                <div className="field">
                    <label htmlFor={`${id}-queues`}>Queues (optional)</label>
                    <input id={`${id}-queues`} value={queues} onChange={(event) => setQueues(event.target.value)} autoComplete="off" placeholder="all, or names separated by commas" />
                </div>
                <div className="field">
                    <label htmlFor={`${id}-expires`}>Expires</label>
                    <select id={`${id}-expires`} value={expires} onChange={(event) => setExpires(event.target.value)}>
                        <option value="24h">after a day</option>
                        <option value="168h">after a week</option>
                        <option value="720h">after 30 days</option>
                        <option value="8760h">after a year</option>
                        <option value="">never</option>
                    </select>
                </div>
                {failure && (
                    <p className="field-error" role="alert">
                        {failure}
                    </p>
                )}
                <div className="dialog-buttons">
                    <button type="button" className="button" onClick={onClose}>
                        Back
                    </button>
                    <button type="submit" className="button button-primary">
                        Create token
                    </button>
                </div>
            </form>
        </Dialog>
    );
}

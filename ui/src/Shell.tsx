import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { overviewQuery } from './api/queries';
import { serverNow } from './live/clock';
import { useLiveStatus, type Live } from './live/live';
import { Icon, type IconName } from './parts/Icon';
import { chooseTheme, useChosenTheme, type Theme } from './parts/theme';
import { Lasting } from './parts/Time';
import { GoTo } from './parts/GoTo';
import { Link, usePath } from './router/router';
import { useSession } from './session';
import { countText, shortCount } from './text/number';

const places: [path: string, name: string, icon: IconName][] = [
    ['/', 'Overview', 'overview'],
    ['/tasks', 'Tasks', 'tasks'],
    ['/jobs', 'Jobs', 'jobs'],
    ['/workers', 'Workers', 'workers'],
    ['/recovery', 'Recovery', 'recovery'],
    ['/queues', 'Queues', 'queues'],
    ['/schedules', 'Schedules', 'schedules'],
    ['/catalog', 'Catalog', 'catalog'],
    ['/access', 'Access', 'access'],
    ['/audit', 'Audit', 'audit'],
];

/** The frame around every page: navigation, the session, and the state of the live connection. */
export function Shell({ live, children }: { live: Live; children: ReactNode }) {
    const [open, setOpen] = useState(false);
    const path = usePath();
    const main = useRef<HTMLElement>(null);
    const isFirst = useRef(true);
    useEffect(() => {
        setOpen(false);
        if (isFirst.current) isFirst.current = false;
        else main.current?.focus({ preventScroll: true });
    }, [path]);
    useEffect(() => {
        if (!open) return;
        const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
        document.addEventListener('keydown', close);
        return () => document.removeEventListener('keydown', close);
    }, [open]);
    return (
        <div className={`shell ${open ? 'nav-open' : ''}`}>
            <a className="skip" href="#main">
                Skip to the content
            </a>
            <aside className="side">
                <div className="side-head">
                    <Link to="/" className="brand">
                        <img src="/favicon.svg" alt="" width={26} height={26} /> Holdfast
                    </Link>
                    <button type="button" className="icon-button nav-toggle" aria-expanded={open} aria-controls="nav" aria-label={open ? 'Close the menu' : 'Open the menu'} onClick={() => setOpen(!open)}>
                        <Icon name={open ? 'close' : 'menu'} size={18} />
                    </button>
                </div>
                <nav id="nav" aria-label="Pages">
                    <Places path={path} />
                    <Foot />
                </nav>
            </aside>
            <div className="content">
                <div className="top-bar">
                    <GoTo />
                    <LiveMark live={live} />
                    <ThemeButton />
                </div>
                <main id="main" ref={main} tabIndex={-1}>
                    {children}
                </main>
            </div>
        </div>
    );
}

function Places({ path }: { path: string }) {
    const overview = useQuery(overviewQuery).data;
    const isLimited = useSession().queues.length > 0;
    const counts: Record<string, [number, string] | undefined> = overview
        ? {
              '/': overview.attention.length ? [overview.attention.length, 'need attention'] : undefined,
              '/tasks': [overview.tasks.running + overview.tasks.claimed, 'claimed or running'],
              '/jobs': [overview.jobs.running + overview.jobs.paused, 'in progress'],
              '/workers': [overview.workers.fresh + overview.workers.draining + overview.workers.stale, 'here'],
          }
        : {};
    return (
        <ul className="places">
            {places.filter(([to]) => !(isLimited && to === '/recovery')).map(([to, name, icon]) => {
                const isHere = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
                const count = counts[to];
                return (
                    <li key={to}>
                        <Link to={to} className={`place ${to === '/' && count ? 'place-alert' : ''}`} aria-current={isHere ? 'page' : undefined}>
                            <Icon name={icon} />
                            <span>{name}</span>
                            {count && count[0] > 0 && (
                                <span className="place-count" title={`${countText(count[0])} ${count[1]}`}>
                                    {shortCount(count[0])}
                                    <span className="unseen"> {count[1]}</span>
                                </span>
                            )}
                        </Link>
                    </li>
                );
            })}
        </ul>
    );
}

function Foot() {
    const session = useSession();
    return (
        <div className="side-foot">
            <Link to="/access" className="who">
                <Icon name="user" size={14} />
                <span>
                    {session.name} <span className="faint">({session.scope})</span>
                </span>
            </Link>
            <p className="faint" title={session.store ?? undefined}>
                version {session.version}
            </p>
        </div>
    );
}

const liveWords = { connecting: 'connecting', live: 'live', reconnecting: 'reconnecting', offline: 'offline for' } as const;

function LiveMark({ live }: { live: Live }) {
    const status = useLiveStatus(live);
    const isOld = status.state === 'offline';
    return (
        <div className={`live live-${status.state}`} role="status" title={isOld ? 'The page shows the data from before the connection was lost. It reconnects automatically.' : undefined}>
            <span className="live-dot" aria-hidden="true" />
            {liveWords[status.state]}
            {isOld && <Lasting from={new Date(status.since + serverNow() - Date.now()).toISOString()} to={null} />}
        </div>
    );
}

const nextTheme: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const themeIcons: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' };

function ThemeButton() {
    const theme = useChosenTheme();
    return (
        <button type="button" className="icon-button" aria-label={`Theme: ${theme}. Change to ${nextTheme[theme]}`} title={`Theme: ${theme}`} onClick={() => chooseTheme(nextTheme[theme])}>
            <Icon name={themeIcons[theme]} />
        </button>
    );
}

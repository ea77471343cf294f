import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, type ReactNode } from 'react';
import { ApiError } from './api/client';
import { sessionQuery } from './api/queries';
import { Live } from './live/live';
import { AccessPage } from './pages/AccessPage';
import { AuditPage } from './pages/AuditPage';
import { JobsPage } from './pages/JobsPage';
import { LoginPage } from './pages/LoginPage';
import { OverviewPage } from './pages/OverviewPage';
import { QueuesPage } from './pages/QueuesPage';
import { RecoveryPage } from './pages/RecoveryPage';
import { SchedulesPage } from './pages/SchedulesPage';
import { TaskPage } from './pages/TaskPage';
import { TasksPage } from './pages/TasksPage';
import { WorkerPage } from './pages/WorkerPage';
import { WorkersPage } from './pages/WorkersPage';
import { Empty, Failed, Skeleton } from './parts/basics';
import { ErrorBoundary } from './parts/ErrorBoundary';
import { matchPath } from './router/match';
import { Link, usePath } from './router/router';
import { SessionProvider } from './session';
import { Shell } from './Shell';

const CatalogPage = lazy(() => import('./pages/CatalogPage'));
const RunPage = lazy(() => import('./pages/RunPage'));
const JobPage = lazy(() => import('./pages/JobPage'));

type Route = [pattern: string, draw: (parts: Record<string, string>) => ReactNode];
const routes: Route[] = [
    ['/', () => <OverviewPage />],
    ['/tasks', () => <TasksPage />],
    ['/tasks/:id', ({ id }) => <TaskPage key={id} id={id!} />],
    ['/jobs', () => <JobsPage />],
    ['/jobs/:id', ({ id }) => <JobPage key={id} id={id!} />],
    ['/workers', () => <WorkersPage />],
    ['/workers/:id', ({ id }) => <WorkerPage key={id} id={id!} />],
    ['/recovery', () => <RecoveryPage />],
    ['/queues', () => <QueuesPage />],
    ['/schedules', () => <SchedulesPage />],
    ['/catalog', () => <CatalogPage />],
    ['/catalog/:kind/:name', ({ kind, name }) => <RunPage key={`${kind}/${name}`} kind={kind!} name={name!} />],
    ['/access', () => <AccessPage />],
    ['/audit', () => <AuditPage />],
];

function drawPage(path: string): ReactNode {
    for (const [pattern, draw] of routes) {
        const parts = matchPath(pattern, path);
        if (parts) return draw(parts);
    }
    return (
        <Empty icon="search" title="Page not found">
            <Link to="/">Go to the overview</Link>
        </Empty>
    );
}

export function App() {
    const session = useQuery(sessionQuery);
    if (session.data) {
        return (
            <SessionProvider value={session.data}>
                <LivePages />
            </SessionProvider>
        );
    }
    if (session.error instanceof ApiError && session.error.status === 401) return <LoginPage reason={session.error} />;
    return (
        <main className="alone">
            {session.error ? <Failed error={session.error} what="The session" retry={() => void session.refetch()} /> : <Skeleton lines={4} />}
        </main>
    );
}

function LivePages() {
    const client = useQueryClient();
    const live = useMemo(() => new Live(client), [client]);
    const path = usePath();
    useEffect(() => live.start(), [live]);
    return (
        <Shell live={live}>
            <ErrorBoundary key={path}>
                <Suspense fallback={<Skeleton lines={8} height={32} />}>{drawPage(path)}</Suspense>
            </ErrorBoundary>
        </Shell>
    );
}

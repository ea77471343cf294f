import { useQuery } from '@tanstack/react-query';
import { get, part } from '../api/client';
import type { Page } from '../api/shapes';
import type { Job, WholeEvent } from '../api/types';
import { Failed, Skeleton } from './basics';
import { History } from './History';

/** What the engine did to a job and its tasks, including recovery, oldest first. */
export function ServerEvents({ job }: { job: Job }) {
    const events = useQuery({
        queryKey: ['jobs', 'one', job.id, 'server-events'],
        queryFn: async ({ signal }) => (await get<Page<WholeEvent>>(`/jobs/${part(job.id)}/steps/_server/logs`, { limit: 1000 }, signal)).items,
        refetchInterval: job.finished_at ? false : 3000,
    });
    if (events.error && !events.data) return <Failed error={events.error} what="The events" retry={() => void events.refetch()} />;
    if (!events.data) return <Skeleton lines={6} />;
    if (events.data.length === 0) return <p className="faint card-text">Nothing yet.</p>;
    return <History events={events.data.map((event) => ({ ...event, job: null }))} exact />;
}

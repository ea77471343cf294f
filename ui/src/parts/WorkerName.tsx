import { useQuery } from '@tanstack/react-query';
import { workersQuery } from '../api/queries';
import { workerPath } from '../pages/links';
import { Link } from '../router/router';
import { shortId } from '../text/words';

/** The name of a worker, found by the id that tasks contain. */
export function WorkerName({ id }: { id: string }) {
    const workers = useQuery({ ...workersQuery(true), staleTime: 30_000, refetchInterval: false });
    const name = workers.data?.find((worker) => worker.id === id)?.name;
    return <Link to={workerPath(id)}>{name ?? shortId(id)}</Link>;
}

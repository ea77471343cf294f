import { isId, withoutIds } from '../text/words';
import { WorkerName } from './WorkerName';

/** The author of an event: a person, "worker web-1 (6c43e804-…)", or a worker's id. */
export function Who({ who }: { who: string }) {
    return isId(who) ? <WorkerName id={who} /> : <>{withoutIds(who)}</>;
}

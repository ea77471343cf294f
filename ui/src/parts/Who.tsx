import { isId, withoutIds } from '../text/words';
import { WorkerName } from './WorkerName';

/** Who did something, as an event has it: a person, "worker web-1 (6c43e804-…)", or a worker's id alone. */
export function Who({ who }: { who: string }) {
    return isId(who) ? <WorkerName id={who} /> : <>{withoutIds(who)}</>;
}

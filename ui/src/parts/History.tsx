import type { HistoryEvent } from '../api/shapes';
import { eventTone, evidenceOf } from '../model/timeline';
import { jobPath, taskPath } from '../pages/links';
import { Link } from '../router/router';
import { kindWords, shortId, withoutIds } from '../text/words';
import { Icon, type IconName } from './Icon';
import { Time } from './Time';
import { Who } from './Who';
import { WorkerName } from './WorkerName';

const icons: Record<string, IconName> = { bad: 'cross', warn: 'warning', good: 'check', busy: 'running', plain: 'info' };

/** Events, in the given order. */
export function History({ events, exact = false, evidence = true }: { events: HistoryEvent[]; exact?: boolean; evidence?: boolean }) {
    return (
        <ol className="history">
            {events.map((event) => (
                <li key={event.id} className={`tone-${eventTone(event.kind)}`}>
                    <Icon name={icons[eventTone(event.kind)]!} size={14} />
                    <div className="history-body">
                        <p>
                            <strong>{kindWords(event.kind)}</strong> {withoutIds(event.message)}
                        </p>
                        <p className="faint">
                            <Time at={event.at} exact={exact} />
                            {event.who && (
                                <>
                                    {' by '}
                                    <Who who={event.who} />
                                </>
                            )}
                            {event.task && (
                                <>
                                    {' · '}
                                    <Link to={taskPath(event.task)}>task {shortId(event.task)}</Link>
                                </>
                            )}
                            {event.job && (
                                <>
                                    {' · '}
                                    <Link to={jobPath(event.job)}>job {shortId(event.job)}</Link>
                                </>
                            )}
                            {event.worker && !event.task && (
                                <>
                                    {' · '}
                                    worker <WorkerName id={event.worker} />
                                </>
                            )}
                        </p>
                        {evidence && <Evidence pairs={evidenceOf(event.data)} />}
                    </div>
                </li>
            ))}
        </ol>
    );
}

export function Evidence({ pairs }: { pairs: [string, string][] }) {
    if (!pairs.length) return null;
    return (
        <p className="evidence">
            {pairs.map(([name, value]) => (
                <span key={name}>
                    <span className="faint">{name}</span> {value}
                </span>
            ))}
        </p>
    );
}

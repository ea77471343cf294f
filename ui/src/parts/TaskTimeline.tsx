import type { Entry } from '../model/timeline';
import { withoutIds } from '../text/words';
import { Evidence } from './History';
import { Icon, type IconName } from './Icon';
import { Time } from './Time';
import { Who } from './Who';
import { WorkerName } from './WorkerName';

const icons: Record<Entry['sort'], IconName> = {
    submitted: 'plus',
    waited: 'clock',
    claimed: 'hand',
    started: 'play',
    progress: 'running',
    ended: 'flag',
    event: 'info',
    now: 'clock',
    result: 'flag',
};

function iconOf(entry: Entry): IconName {
    if (entry.sort === 'ended' || entry.sort === 'result') return entry.tone === 'good' ? 'check' : entry.tone === 'bad' ? 'cross' : 'slash';
    if (entry.sort === 'event') return entry.tone === 'bad' ? 'cross' : entry.tone === 'warn' ? 'warning' : 'info';
    return icons[entry.sort];
}

export function TaskTimeline({ entries }: { entries: Entry[] }) {
    return (
        <ol className="timeline">
            {entries.map((entry, index) => (
                <li key={`${index} ${entry.title}`} className={`tone-${entry.tone} timeline-${entry.sort}`}>
                    <span className="timeline-icon">
                        <Icon name={iconOf(entry)} size={14} className={entry.sort === 'progress' ? 'turns' : ''} />
                    </span>
                    <div>
                        <p className="timeline-title">
                            {entry.title}
                            {entry.worker && (
                                <>
                                    {entry.sort === 'event' ? ', worker ' : ' on '}
                                    <WorkerName id={entry.worker} />
                                </>
                            )}
                        </p>
                        {entry.detail && <p className="timeline-detail">{withoutIds(entry.detail)}</p>}
                        <Evidence pairs={entry.evidence} />
                        <p className="faint timeline-when">
                            {entry.sort === 'now' ? 'now' : <Time at={entry.at} exact />}
                            {entry.lease !== null && <> · lease {entry.lease}</>}
                            {entry.who && (
                                <>
                                    {' by '}
                                    <Who who={entry.who} />
                                </>
                            )}
                        </p>
                    </div>
                </li>
            ))}
        </ol>
    );
}

import { useMemo, useState } from 'react';
import type { JobStory } from '../api/types';
import { countsOf, graphOf, stateOfGroup, titleOf } from '../model/graph';
import { plural } from '../text/number';
import { Empty } from './basics';
import { Icon } from './Icon';
import { StateBadge } from './StateBadge';
import { urgency } from './StepPanel';
import { StepsBar } from './StepsBar';
import { Lasting } from './Time';

const portion = 60;
const byName = new Intl.Collator('en', { numeric: true });

/** The steps of one group in the graph, the most urgent first. */
export function GroupPanel({ story, id, onClose, choose, drawEach }: { story: JobStory; id: string; onClose: () => void; choose: (step: string) => void; drawEach: () => void }) {
    const [shown, setShown] = useState(portion);
    const node = useMemo(() => graphOf(story.steps, story.edges).nodes.find((one) => one.id === id), [story.steps, story.edges, id]);
    const members = node?.steps ?? [];
    const ordered = [...members].sort((a, b) => urgency[a.state] - urgency[b.state] || byName.compare(a.name, b.name));
    return (
        <aside className="card step-panel" aria-label={node ? `Steps ${titleOf(node)}` : 'Steps'}>
            <header className="card-head">
                <h2>
                    {node ? titleOf(node) : 'Steps'} {node && <StateBadge state={stateOfGroup(members)} />}
                </h2>
                <button type="button" className="icon-button" aria-label="Close the steps" onClick={onClose}>
                    <Icon name="close" />
                </button>
            </header>
            {!node && <Empty title="These steps are not grouped here" />}
            {node && (
                <>
                    <div className="group-head">
                        <StepsBar counts={countsOf(members)} />
                        <button type="button" className="button button-small" onClick={drawEach}>
                            Draw individually
                        </button>
                    </div>
                    <ul className="step-members">
                        {ordered.slice(0, shown).map((step) => (
                            <li key={step.name}>
                                <button type="button" className="step-member" onClick={() => choose(step.name)}>
                                    <span className="one-line">{step.name}</span>
                                    <StateBadge state={step.state} quiet />
                                    <span>{step.started_at && <Lasting from={step.started_at} to={step.finished_at} />}</span>
                                </button>
                            </li>
                        ))}
                    </ul>
                    {members.length > shown && (
                        <p className="group-more">
                            <button type="button" className="link-button" onClick={() => setShown(shown + 200)}>
                                {plural(members.length - shown, 'more step')}
                            </button>
                        </p>
                    )}
                </>
            )}
        </aside>
    );
}

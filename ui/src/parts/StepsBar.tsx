import type { StepCounts } from '../api/types';
import { endedOf, totalOf } from '../model/graph';
import { countText } from '../text/number';

const parts: [keyof StepCounts, string][] = [
    ['completed', 'COMPLETED'],
    ['skipped', 'SKIPPED'],
    ['cancelled', 'CANCELLED'],
    ['failed', 'FAILED'],
    ['running', 'RUNNING'],
    ['ready', 'READY'],
    ['waiting', 'WAITING'],
];

export function countsText(counts: StepCounts): string {
    return parts
        .filter(([key]) => counts[key] > 0)
        .map(([key]) => `${countText(counts[key])} ${key}`)
        .join(', ');
}

/** A bar with the number of steps or items in each state. */
export function StepsBar({ counts, words = true }: { counts: StepCounts; words?: boolean }) {
    const total = totalOf(counts);
    if (total === 0) return null;
    return (
        <span className="steps-bar" title={countsText(counts)}>
            <span className="steps-track" aria-hidden="true">
                {parts.map(([key, state]) => counts[key] > 0 && <span key={key} className={`steps-part is-${state}`} style={{ flexGrow: counts[key] }} />)}
            </span>
            {words && (
                <span className="steps-words">
                    {countText(endedOf(counts))}/{countText(total)}
                    <span className="unseen"> steps ended: {countsText(counts)}</span>
                </span>
            )}
        </span>
    );
}

import { countText, shortCount } from '../text/number';
import { Icon } from './Icon';
import { stateIcons, type AnyState } from './StateBadge';

interface StateChipsProps<S extends AnyState> {
    states: readonly S[];
    chosen: S[];
    counts: ((state: S) => number) | undefined;
    onToggle: (state: S) => void;
}

/** State filters with counts. If none is chosen, all states are shown. */
export function StateChips<S extends AnyState>({ states, chosen, counts, onToggle }: StateChipsProps<S>) {
    return (
        <div className="chips" role="group" aria-label="States">
            {states.map((state) => (
                <button key={state} type="button" className={`chip is-${state}`} aria-pressed={chosen.includes(state)} onClick={() => onToggle(state)}>
                    <Icon name={stateIcons[state]} size={13} />
                    {state}
                    {counts && (
                        <span className="chip-count" title={countText(counts(state))}>
                            {shortCount(counts(state))}
                        </span>
                    )}
                </button>
            ))}
        </div>
    );
}

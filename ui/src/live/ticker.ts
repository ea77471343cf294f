import { serverNow } from './clock';

type Tick = (now: number) => void;
const ticks = new Set<Tick>();
let timer: ReturnType<typeof setInterval> | undefined;

function tickAll() {
    if (document.hidden) return;
    const now = serverNow();
    for (const tick of ticks) tick(now);
}

/** Calls all listeners once a second while the tab is visible. */
export function onTick(tick: Tick): () => void {
    ticks.add(tick);
    timer ??= setInterval(tickAll, 1000);
    return () => {
        ticks.delete(tick);
        if (ticks.size === 0) {
            clearInterval(timer);
            timer = undefined;
        }
    };
}

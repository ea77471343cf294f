/** How far the server's clock is ahead of this machine's, in milliseconds: ages are told by the server's. */
let ahead = 0;

export function setServerTime(now: string): void {
    const difference = Date.parse(now) - Date.now();
    // Less than a second is the way of the answer, not the clock.
    if (Number.isFinite(difference)) ahead = Math.abs(difference) < 1000 ? 0 : difference;
}

export const serverNow = () => Date.now() + ahead;

/** The server's clock minus this machine's, in milliseconds. Ages use the server's clock. */
let ahead = 0;

export function setServerTime(now: string): void {
    const difference = Date.parse(now) - Date.now();
    // A difference below a second is latency, not the clock.
    if (Number.isFinite(difference)) ahead = Math.abs(difference) < 1000 ? 0 : difference;
}

export const serverNow = () => Date.now() + ahead;

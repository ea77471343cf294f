/** A duration in at most two units: "850 ms", "4.2 s", "3 m 20 s", "2 d 4 h". */
export function durationText(seconds: number): string {
    if (!Number.isFinite(seconds)) return '–';
    if (seconds < 0) return durationText(0);
    if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
    if (seconds < 0.9995) return `${Math.round(seconds * 100) * 10} ms`;
    if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
    return coarse(Math.round(seconds));
}

/** The same without fractions of a second, for durations that tick. */
export function ageText(seconds: number): string {
    return coarse(Math.max(0, Math.floor(seconds)));
}

const units: [number, string][] = [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'm'],
    [1, 's'],
];

function coarse(seconds: number): string {
    const first = units.findIndex(([size]) => seconds >= size);
    if (first < 0) return '0 s';
    const [size, unit] = units[first]!;
    const head = `${Math.floor(seconds / size)} ${unit}`;
    const below = units[first + 1];
    if (!below) return head;
    const rest = Math.floor((seconds % size) / below[0]);
    return rest > 0 ? `${head} ${rest} ${below[1]}` : head;
}

export function secondsBetween(from: string, to: string): number {
    return (Date.parse(to) - Date.parse(from)) / 1000;
}

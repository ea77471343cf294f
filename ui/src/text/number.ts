const grouped = new Intl.NumberFormat('en-US');

/** 12,345. */
export const countText = (value: number) => grouped.format(value);

/** "1 task", "12 tasks". */
export const plural = (count: number, one: string, many = `${one}s`) => `${countText(count)} ${count === 1 ? one : many}`;

/** Abbreviated: 950, 1.2k, 34k, 1.2M. */
export function shortCount(value: number): string {
    if (value < 1000) return String(value);
    const [size, letter]: [number, string] = value < 999_500 ? [1000, 'k'] : [1_000_000, 'M'];
    const scaled = value / size;
    return `${scaled < 9.95 ? scaled.toFixed(1).replace('.0', '') : Math.round(scaled)}${letter}`;
}

export const percentText = (fraction: number) => `${Math.floor(Math.min(1, Math.max(0, fraction)) * 100)}%`;

export function megabytesText(value: number): string {
    return value < 1024 ? `${value < 10 ? value.toFixed(1) : Math.round(value)} MB` : `${(value / 1024).toFixed(1)} GB`;
}

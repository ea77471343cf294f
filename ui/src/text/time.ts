import { ageText } from './duration';

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');

/** On this machine's clock, to the second: "18:26:31", with the date if it differs from that of `now`. */
export function localTime(at: string, now: Date): string {
    const time = new Date(at);
    if (Number.isNaN(time.getTime())) return at;
    const clock = `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
    return time.toDateString() === now.toDateString() ? clock : `${localDate(time)} ${clock}`;
}

/** With milliseconds, for timelines with several entries per second. */
export function localTimeExact(at: string, now: Date): string {
    const time = new Date(at);
    return Number.isNaN(time.getTime()) ? at : `${localTime(at, now)}.${pad(time.getMilliseconds(), 3)}`;
}

function localDate(time: Date): string {
    return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

/** The tooltip of a time: UTC and local time, in full. */
export function bothClocks(at: string): string {
    const time = new Date(at);
    if (Number.isNaN(time.getTime())) return at;
    const utc = at.replace('T', ' ').replace(/(\.\d{3})\d*/, '$1').replace('Z', '');
    return `${utc} UTC\n${localDate(time)} ${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())} local`;
}

/** "12 s ago", or "in 4 m" for a time in the future. */
export function relativeTime(at: string, now: number): string {
    const seconds = (now - Date.parse(at)) / 1000;
    if (Number.isNaN(seconds)) return at;
    if (seconds < -0.5) return `in ${ageText(-seconds + 0.5)}`;
    return seconds < 1 ? 'just now' : `${ageText(seconds)} ago`;
}

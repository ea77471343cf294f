import type { Schedule } from '../api/types';
import { durationText } from '../text/duration';

/** The timing of a schedule in words. */
export function timingText(timing: Schedule['timing']): string {
    if (typeof timing === 'string') return timing;
    if (timing === null || typeof timing !== 'object' || Array.isArray(timing)) return JSON.stringify(timing);
    if (typeof timing.interval_ms === 'number') return `every ${durationText(timing.interval_ms / 1000)}`;
    if (typeof timing.cron === 'string') return `${timing.cron}${typeof timing.zone === 'string' ? ` in ${timing.zone}` : ''}`;
    return JSON.stringify(timing);
}

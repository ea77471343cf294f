import { describe, expect, it } from 'vitest';
import { ageText, durationText, secondsBetween } from './duration';
import { countText, megabytesText, percentText, plural, shortCount } from './number';
import { bothClocks, localTime, relativeTime } from './time';
import { shortId, withoutEscapes, withoutIds } from './words';

describe('Durations', () => {
    it('have at most two units', () => {
        expect([0, 0.004, 0.25, 0.9996, 4.25, 9.96, 59.4, 61, 3600, 3725, 90_000, 1e7].map(durationText)).toEqual([
            '0 ms', '4 ms', '250 ms', '1.0 s', '4.3 s', '10 s', '59 s', '1 m 1 s', '1 h', '1 h 2 m', '1 d 1 h', '115 d 17 h',
        ]);
    });
    it('that are negative are shown as zero, and NaN as a dash', () => {
        expect(durationText(-3)).toBe('0 ms');
        expect(durationText(Number.NaN)).toBe('–');
    });
    it('that tick have no fractions of a second', () => {
        expect([0.9, 1.9, 61.5].map(ageText)).toEqual(['0 s', '1 s', '1 m 1 s']);
    });
    it('between two times keep fractions of a second', () => {
        expect(secondsBetween('2026-11-15T18:26:20.100Z', '2026-11-15T18:26:22.350Z')).toBeCloseTo(2.25);
    });
});

describe('Times', () => {
    const now = Date.parse('2026-11-15T18:26:30Z');
    it('are shown relative to now', () => {
        expect(relativeTime('2026-11-15T18:26:18Z', now)).toBe('12 s ago');
        expect(relativeTime('2026-11-15T18:26:29.7Z', now)).toBe('just now');
        expect(relativeTime('2026-11-15T18:30:30Z', now)).toBe('in 4 m');
    });
    it('show the date only when it is not today', () => {
        const at = new Date(2026, 10, 15, 9, 5, 7);
        expect(localTime(at.toISOString(), new Date(2026, 10, 15, 23))).toBe('09:05:07');
        expect(localTime(at.toISOString(), new Date(2026, 10, 16, 1))).toBe('2026-11-15 09:05:07');
    });
    it('have UTC in the tooltip', () => {
        expect(bothClocks('2026-11-15T18:26:20.124721Z')).toContain('2026-11-15 18:26:20.124 UTC');
    });
    it('that cannot be parsed are shown unchanged', () => {
        expect(localTime('soon', new Date())).toBe('soon');
    });
});

describe('Numbers', () => {
    it('are grouped or abbreviated', () => {
        expect(countText(1234567)).toBe('1,234,567');
        expect([999, 1000, 1234, 34_567, 999_499, 999_501, 12_345_678].map(shortCount)).toEqual(['999', '1k', '1.2k', '35k', '999k', '1M', '12M']);
    });
    it('agree with their nouns', () => {
        expect(plural(1, 'task')).toBe('1 task');
        expect(plural(0, 'task')).toBe('0 tasks');
    });
    it('as percentages never reach 100 too early', () => {
        expect(percentText(0.999)).toBe('99%');
        expect(percentText(7)).toBe('100%');
    });
    it('of bytes have a suitable unit', () => {
        expect([1.25, 512, 2048].map(megabytesText)).toEqual(['1.3 MB', '512 MB', '2.0 GB']);
    });
});

describe('Words', () => {
    it('of an id are its first and last characters', () => {
        expect(shortId('01a1e075-d4d8-7447-82e2-5e241a156040')).toBe('01a1e075…6040');
        expect(shortId('web-1')).toBe('web-1');
    });
    it('of an event lose the ids after names', () => {
        expect(withoutIds('worker web-1 (6c43e804-812b-4702-85bb-7aab4b8e05b9) exited')).toBe('worker web-1 exited');
    });
    it('of a terminal lose their colours', () => {
        expect(withoutEscapes('\u001b[31mred\u001b[0m \u001b]0;title\u0007text')).toBe('red text');
    });
});

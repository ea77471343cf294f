import { describe, expect, it } from 'vitest';
import { appended, refreshed, rowsOf, started } from './feed';

const rows = (...ids: string[]) => ids.map((id) => ({ id, state: 'RUNNING' }));
const ids = (feed: { pages: { rows: { id: string }[] }[] }) => feed.pages.flatMap((page) => page.rows.map((row) => row.id));

describe('A growing list', () => {
    const feed = appended(started(rows('09', '08', '07'), '07'), '07', rows('06', '05', '04'), '04');

    it('shows its pages one after the other', () => {
        expect(ids(feed)).toEqual(['09', '08', '07', '06', '05', '04']);
    });
    it('holds new rows back and counts them', () => {
        const after = refreshed(feed, null, rows('11', '10', '09'), true);
        expect(ids(after)).toEqual(ids(feed));
        expect(after.fresh.map((row) => row.id)).toEqual(['11', '10']);
    });
    it('updates changed rows in place', () => {
        const after = refreshed(feed, '07', [{ id: '06', state: 'FAILED' }, ...rows('05', '04')], true);
        expect(rowsOf(after)[3]).toEqual({ id: '06', state: 'FAILED' });
    });
    it('keeps and marks rows that no longer match the filter', () => {
        const after = refreshed(feed, '07', rows('06', '04', '03'), true);
        expect(ids(after)).toEqual(ids(feed));
        expect([...after.gone]).toEqual(['05']);
    });
    it('keeps rows that are only beyond the end of the answer', () => {
        const after = refreshed(feed, null, rows('12', '11', '10'), true);
        expect(after.gone.size).toBe(0);
    });
    it('restores a row that matches again', () => {
        const without = refreshed(feed, '07', rows('06', '04'), false);
        expect(refreshed(without, '07', rows('06', '05', '04'), false).gone.size).toBe(0);
    });
    it('shows no row twice when pages overlap', () => {
        expect(ids(appended(feed, '04', rows('04', '03'), null))).toEqual(['09', '08', '07', '06', '05', '04', '03']);
    });
});

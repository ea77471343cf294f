import { describe, expect, it, vi } from 'vitest';

vi.mock('uplot', () => ({ default: class {} }));
vi.mock('uplot/dist/uPlot.min.css', () => ({}));
const { clock, drawingOrder, stacked } = await import('./PlotCanvas');

describe('A plot', () => {
    const bars = (values: (number | null)[]) => ({ label: '', color: '', kind: 'bars' as const, values });
    const line = { label: '', color: '', kind: 'line' as const, values: [5, 6] };
    it('stacks bars, but not lines', () => {
        expect(stacked([bars([1, null]), line, bars([2, 3])])).toEqual([[1, 0], [5, 6], [3, 3]]);
    });
    it('labels times with seconds only if necessary', () => {
        const at = new Date(2026, 10, 15, 18, 26, 30).getTime() / 1000;
        expect(clock(at, false)).toBe('18:26');
        expect(clock(at, true)).toBe('18:26:30');
        expect(clock(new Date(2026, 10, 15).getTime() / 1000, false)).toBe('11/15');
    });
    it('draws the top of the stack first and lines last', () => {
        expect(drawingOrder([bars([]), line, bars([])])).toEqual([2, 0, 1]);
    });
});

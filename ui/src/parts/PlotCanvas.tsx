import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from './theme';

export interface Series {
    label: string;
    /** The name of a custom property of the style sheet. */
    color: string;
    values: (number | null)[];
    kind?: 'bars' | 'line';
}
export interface PlotProps {
    /** The text alternative of the plot. */
    label: string;
    /** Seconds since 1970. */
    times: number[];
    /** Bars are stacked, the first one at the bottom. */
    series: Series[];
    height?: number;
    unit?: (value: number) => string;
    /** The minimum top of the vertical axis. */
    floor?: number;
}

/** The value of a custom property in the current theme, for the canvas. */
function colorOf(name: string): string {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
}

/** Stacks each series of bars on the previous ones. */
export function stacked(series: Series[]): (number | null)[][] {
    let below: number[] = [];
    return series.map(({ kind, values }) => {
        if (kind !== 'bars') return values;
        const sums = values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
        below = sums;
        return sums;
    });
}

export default function PlotCanvas({ label, times, series, height = 180, unit = String, floor = 1 }: PlotProps) {
    const place = useRef<HTMLDivElement>(null);
    const plot = useRef<uPlot | null>(null);
    const latest = useRef(series);
    latest.current = series;
    const theme = useTheme();
    const shape = JSON.stringify(series.map(({ label, color, kind }) => [label, color, kind]));

    useEffect(() => {
        const element = place.current!;
        const instance = new uPlot(options(element.clientWidth, height, series, unit, floor, () => latest.current), dataOf(times, series), element);
        plot.current = instance;
        const observer = new ResizeObserver(() => instance.setSize({ width: element.clientWidth, height }));
        observer.observe(element);
        return () => {
            observer.disconnect();
            instance.destroy();
            plot.current = null;
        };
        // Data comes by setData below.
    }, [shape, height, theme]);
    useEffect(() => plot.current?.setData(dataOf(times, series)), [times, series]);
    return <div ref={place} role="img" aria-label={label} style={{ minHeight: height }} />;
}

/** The order of drawing: bars from the top of the stack down, so that lower bars cover higher ones; then lines. */
export function drawingOrder(series: Series[]): number[] {
    const places = series.map((_, place) => place);
    const bars = places.filter((place) => series[place]!.kind === 'bars');
    return [...bars.reverse(), ...places.filter((place) => series[place]!.kind !== 'bars')];
}

function dataOf(times: number[], series: Series[]): uPlot.AlignedData {
    const values = stacked(series);
    return [times, ...drawingOrder(series).map((place) => values[place]!)] as uPlot.AlignedData;
}

/** A bar is drawn to the right of its time, so the axis needs room for the last bar. */
function widthOfBars(times: ArrayLike<number>, series: Series[]): number {
    return series.some(({ kind }) => kind === 'bars') && times.length > 1 ? times[1]! - times[0]! : 0;
}

function options(width: number, height: number, series: Series[], unit: (value: number) => string, floor: number, latest: () => Series[]): uPlot.Options {
    const line = colorOf('--line');
    const faint = colorOf('--text-faint');
    const axis = { stroke: faint, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const bars = uPlot.paths.bars!({ size: [0.72, 24], align: 1 });
    return {
        width,
        height,
        padding: [10, 8, 0, 0],
        legend: { live: true },
        cursor: { y: false, points: { show: false } },
        scales: { x: { range: (plot, min, max) => [min, max + widthOfBars(plot.data[0], series)] }, y: { range: (_, __, max) => [0, Math.max(floor, (max ?? 0) * 1.1)] } },
        axes: [
            { ...axis, grid: { show: false }, size: 26, space: 70, values: (_, splits) => splits.map((at) => clock(at, splits.length > 1 && splits[1]! - splits[0]! < 60)) },
            { ...axis, size: 48, space: 24, values: (_, splits) => splits.map((value) => unit(value)) },
        ],
        series: [{ value: (_, value) => (value == null ? '' : clock(value, false)) }, ...drawingOrder(series).map((place) => seriesOf(series[place]!, place, unit, bars, latest))],
    };
}

function seriesOf({ label, color, kind }: Series, place: number, unit: (value: number) => string, bars: uPlot.Series.PathBuilder, latest: () => Series[]): uPlot.Series {
    const stroke = colorOf(color);
    const value = (_: uPlot, __: number, ___: number, index: number | null) => {
        const values = latest()[place]?.values;
        const one = index === null ? null : values?.[index];
        if (index === null) return '';
        return one === null || one === undefined ? '–' : unit(one);
    };
    if (kind === 'bars') return { label, stroke, fill: stroke, width: 0, paths: bars, points: { show: false }, value };
    return { label, stroke, width: 1.5, points: { show: false }, value };
}

/** 18:26, with seconds if ticks are closer than a minute; the date at midnight. */
export function clock(at: number, seconds: boolean): string {
    const time = new Date(at * 1000);
    const parts = [time.getHours(), time.getMinutes(), ...(seconds ? [time.getSeconds()] : [])];
    if (parts.every((part) => part === 0)) return `${time.getMonth() + 1}/${time.getDate()}`;
    return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

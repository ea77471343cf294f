import { nodeHeight, type Layout, type Layouts, type Place } from './shape';

export type Direction = 'across' | 'down';

/** The smallest readable scale. */
export const smallestFit = 0.62;
const comfortable = 0.8;
/** The maximum height of a graph, so that users need not scroll far along it. */
const tallest = 1500;
const margin = 24;

/** The scale at which the whole graph fits into this width. */
export const fitOf = (layout: Layout, room: number) => Math.min(1, (room - 2 * margin) / layout.width);

/** Draws across, or down if across would be too small to read and down is larger. */
export function directionOf({ across, down }: Layouts, room: number): Direction {
    const fit = fitOf(across, room);
    if (!down || fit >= comfortable || down.height > tallest) return 'across';
    return fitOf(down, room) > fit ? 'down' : 'across';
}

/** The height that the graph needs, between that of a card and that of a screen. */
export function heightOf(layout: Layout, room: number, direction: Direction): number {
    const zoom = Math.max(fitOf(layout, room), smallestFit);
    return Math.round(Math.min(direction === 'down' ? tallest : 620, Math.max(280, layout.height * zoom + 130)));
}

/** The whole graph in the middle; if that is too small to read, its beginning or the chosen place. */
export function viewportOf(layout: Layout, size: { width: number; height: number }, begin: Place): Place & { zoom: number } {
    const zoom = Math.min(fitOf(layout, size.width), (size.height - margin) / layout.height);
    if (zoom >= smallestFit) return { zoom, x: (size.width - layout.width * zoom) / 2, y: (size.height - layout.height * zoom) / 2 };
    return { zoom: comfortable, x: margin - begin.x * comfortable, y: size.height / 2 - (begin.y + nodeHeight / 2) * comfortable };
}

/** An SVG path through all points, along the direction of the graph. */
export function pathThrough(points: Place[], direction: Direction): string {
    const [first, ...rest] = points;
    let path = `M${first!.x},${first!.y}`;
    let from = first!;
    for (const to of rest) {
        const middle = direction === 'down' ? (from.y + to.y) / 2 : (from.x + to.x) / 2;
        path += direction === 'down' ? ` C${from.x},${middle} ${to.x},${middle} ${to.x},${to.y}` : ` C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
        from = to;
    }
    return path;
}

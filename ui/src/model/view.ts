import { nodeHeight, type Layout, type Layouts, type Place } from './shape';

export type Direction = 'across' | 'down';

/** Smaller than this nobody reads it. */
export const smallestFit = 0.62;
const comfortable = 0.8;
/** A person scrolls the page so far down along a graph, but not further. */
const tallest = 1500;
const margin = 24;

/** How large the graph may be drawn to be seen whole in a room of this width. */
export const fitOf = (layout: Layout, room: number) => Math.min(1, (room - 2 * margin) / layout.width);

/** Across, unless that is too small to be read comfortably and down is larger. */
export function directionOf({ across, down }: Layouts, room: number): Direction {
    const fit = fitOf(across, room);
    if (!down || fit >= comfortable || down.height > tallest) return 'across';
    return fitOf(down, room) > fit ? 'down' : 'across';
}

/** As high as the graph needs it, between a card's height and a screen's. */
export function heightOf(layout: Layout, room: number, direction: Direction): number {
    const zoom = Math.max(fitOf(layout, room), smallestFit);
    return Math.round(Math.min(direction === 'down' ? tallest : 620, Math.max(280, layout.height * zoom + 130)));
}

/** All of it in the middle; where that is too small to read, the place where it begins, or that a person has chosen. */
export function viewportOf(layout: Layout, size: { width: number; height: number }, begin: Place): Place & { zoom: number } {
    const zoom = Math.min(fitOf(layout, size.width), (size.height - margin) / layout.height);
    if (zoom >= smallestFit) return { zoom, x: (size.width - layout.width * zoom) / 2, y: (size.height - layout.height * zoom) / 2 };
    return { zoom: comfortable, x: margin - begin.x * comfortable, y: size.height / 2 - (begin.y + nodeHeight / 2) * comfortable };
}

/** A path for SVG through all the points, along the direction at each of them. */
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

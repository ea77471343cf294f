import type { Edge } from '../api/types';

export const nodeWidth = 190;
export const nodeHeight = 62;

export interface Place {
    x: number;
    y: number;
}
export interface Layout {
    places: Map<string, Place>;
    /** What an edge passes between, on its way around the nodes that lie there; only of those that pass some. */
    bends: Map<string, Place[]>;
    width: number;
    height: number;
}
/** Both ways to draw a graph. A large one is only drawn across. */
export interface Layouts {
    across: Layout;
    down: Layout | null;
}
/** All that a layout depends on. */
export interface Shape {
    nodes: string[];
    edges: Edge[];
}

export const edgeId = ({ from, to }: Edge) => `${from}→${to}`;

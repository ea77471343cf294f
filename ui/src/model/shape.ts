import type { Edge } from '../api/types';

export const nodeWidth = 190;
export const nodeHeight = 62;

export interface Place {
    x: number;
    y: number;
}
export interface Layout {
    places: Map<string, Place>;
    /** The points that an edge passes on its way around other nodes; only for edges that need it. */
    bends: Map<string, Place[]>;
    width: number;
    height: number;
}
/** The layouts of a graph in both directions. A large graph is only drawn across. */
export interface Layouts {
    across: Layout;
    down: Layout | null;
}
/** Everything that a layout depends on. */
export interface Shape {
    nodes: string[];
    edges: Edge[];
}

export const edgeId = ({ from, to }: Edge) => `${from}→${to}`;

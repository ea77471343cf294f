import dagre from '@dagrejs/dagre';
import type { Graph } from './graph';

export const nodeWidth = 208;
export const nodeHeight = 62;

export interface Place {
    x: number;
    y: number;
}

/** Where each node's upper left corner is, dependencies to the left of what depends on them. */
export function layoutOf(graph: Graph, direction: 'LR' | 'TB' = 'LR'): Map<string, Place> {
    const wide = graph.nodes.length > 60;
    const plan = new dagre.graphlib.Graph();
    plan.setGraph({ rankdir: direction, nodesep: wide ? 14 : 22, ranksep: wide ? 70 : 56, marginx: 8, marginy: 8 });
    plan.setDefaultEdgeLabel(() => ({}));
    for (const node of graph.nodes) plan.setNode(node.id, { width: nodeWidth, height: nodeHeight });
    for (const { from, to } of graph.edges) plan.setEdge(from, to);
    dagre.layout(plan);
    return new Map(
        graph.nodes.map(({ id }) => {
            const { x, y } = plan.node(id);
            return [id, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }];
        }),
    );
}

import dagre from '@dagrejs/dagre';
import { edgeId, nodeHeight, nodeWidth, type Layout, type Layouts, type Shape } from './shape';

/** From this number of nodes on, only one direction is laid out, because each layout takes long. */
const large = 120;

export function layoutsOf(shape: Shape): Layouts {
    return { across: layoutOf(shape, 'LR'), down: shape.nodes.length > large ? null : layoutOf(shape, 'TB') };
}

/** The upper left corner of each node: a step is to the right of its dependencies, or below them. */
function layoutOf({ nodes, edges }: Shape, direction: 'LR' | 'TB'): Layout {
    const isLarge = nodes.length > large;
    const plan = new dagre.graphlib.Graph();
    plan.setGraph({ rankdir: direction, nodesep: isLarge ? 14 : 22, ranksep: isLarge ? 70 : 44, marginx: 8, marginy: 8 });
    plan.setDefaultEdgeLabel(() => ({}));
    for (const id of nodes) plan.setNode(id, { width: nodeWidth, height: nodeHeight });
    for (const { from, to } of edges) plan.setEdge(from, to);
    dagre.layout(plan);
    const { width = 0, height = 0 } = plan.graph();
    const places = new Map(
        nodes.map((id) => {
            const { x, y } = plan.node(id);
            return [id, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }];
        }),
    );
    const bends = new Map(isLarge ? [] : edges.map((edge) => [edgeId(edge), plan.edge(edge.from, edge.to).points.slice(1, -1)] as const).filter(([, points]) => points.length > 1));
    return { places, bends, width, height };
}

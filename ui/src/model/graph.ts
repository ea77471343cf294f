import type { Edge, Step, StepCounts, StepState } from '../api/types';
import { familyOf, foldsOf } from './folds';
import type { Shape } from './shape';

/** A node of the drawing: one step, or several similar steps. */
export interface GraphNode {
    id: string;
    /** One step, or the members of a group. */
    steps: Step[];
}
export interface Graph {
    nodes: GraphNode[];
    edges: Edge[];
}

/** The steps without the items of `for_each`, which their step counts, and without hooks, which have no edges. */
export const drawnSteps = (steps: Step[]) => steps.filter((step) => step.item === null && !step.hook);

/** Draws similar steps as one node, except for groups in `open`. With `fold` false, each step is a node. */
export function graphOf(steps: Step[], edges: Edge[], open: ReadonlySet<string> = new Set(), fold = true): Graph {
    const drawn = drawnSteps(steps);
    const known = new Set(drawn.map((step) => step.name));
    const real = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
    const folds = fold ? foldsOf(drawn, real) : drawn.map((step) => [step]);
    const nodes = folds.flatMap((members) => (members.length === 1 || open.has(groupId(members)) ? members.map((step) => ({ id: step.name, steps: [step] })) : [{ id: groupId(members), steps: members }]));
    const nodeOf = new Map(nodes.flatMap((node) => node.steps.map((step) => [step.name, node.id] as const)));
    const between = real.map((edge) => ({ from: nodeOf.get(edge.from)!, to: nodeOf.get(edge.to)! }));
    return { nodes, edges: unique(between.filter(({ from, to }) => from !== to)) };
}

/** Cannot collide with a step: names consist of letters, digits, _ and -. */
const groupId = (members: Step[]) => `group:${members[0]!.name}`;
export const isGroupId = (id: string) => id.startsWith('group:');

/** "fan-*", "extract and 11 similar", or the name of the only step. */
export function titleOf(node: GraphNode): string {
    const first = node.steps[0]!.name;
    return node.steps.length === 1 ? first : (familyOf(node.steps) ?? `${first} and ${node.steps.length - 1} similar`);
}

function unique(edges: Edge[]): Edge[] {
    const seen = new Set<string>();
    return edges.filter(({ from, to }) => {
        const key = JSON.stringify([from, to]);
        return !seen.has(key) && seen.add(key);
    });
}

const countKeys: Record<StepState, keyof StepCounts> = {
    WAITING: 'waiting',
    READY: 'ready',
    RUNNING: 'running',
    COMPLETED: 'completed',
    FAILED: 'failed',
    SKIPPED: 'skipped',
    CANCELLED: 'cancelled',
};

export function countsOf(steps: Step[]): StepCounts {
    const counts: StepCounts = { waiting: 0, ready: 0, running: 0, completed: 0, failed: 0, skipped: 0, cancelled: 0 };
    for (const step of steps) counts[countKeys[step.state]]++;
    return counts;
}

export const totalOf = (counts: StepCounts) => Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);
export const endedOf = (counts: StepCounts) => counts.completed + counts.failed + counts.skipped + counts.cancelled;

/** The most important state of a group's members. */
export function stateOfGroup(steps: Step[]): StepState {
    const counts = countsOf(steps);
    if (counts.failed) return 'FAILED';
    if (counts.running) return 'RUNNING';
    if (counts.ready) return 'READY';
    if (counts.waiting) return counts.completed ? 'RUNNING' : 'WAITING';
    if (counts.cancelled) return 'CANCELLED';
    return counts.completed ? 'COMPLETED' : 'SKIPPED';
}

/** Changes with nodes and edges, not with states. A layout stays valid while this stays the same. */
export const shapeOf = ({ nodes, edges }: Graph): Shape => ({ nodes: nodes.map((node) => node.id), edges });

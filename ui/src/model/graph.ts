import type { Edge, Step, StepCounts, StepState } from '../api/types';

/** What is drawn: a step, or several that are alike. */
export interface GraphNode {
    id: string;
    /** One: a step. Several: a group that stands for them. */
    steps: Step[];
}
export interface Graph {
    nodes: GraphNode[];
    edges: Edge[];
}

/** Steps without items of `for_each`, which their step counts, and without hooks, which nothing leads to. */
export const drawnSteps = (steps: Step[]) => steps.filter((step) => step.item === null && !step.hook);

/** So many steps with the same neighbours become one node. */
export const alikeLimit = 6;

/**
 * Steps that have the same dependencies, the same dependents and the same kind are one node, unless `open` names it.
 * A graph that is small enough to be read is left as it is.
 */
export function graphOf(steps: Step[], edges: Edge[], open: ReadonlySet<string> = new Set(), group = true): Graph {
    const drawn = drawnSteps(steps);
    const known = new Set(drawn.map((step) => step.name));
    const real = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
    if (!group) return { nodes: drawn.map((step) => ({ id: step.name, steps: [step] })), edges: real };

    const groups = groupAlike(drawn, real);
    const nodeOf = new Map<string, string>();
    const nodes: GraphNode[] = [];
    for (const members of groups) {
        const id = `group:${members[0]!.name}`;
        if (members.length < alikeLimit || open.has(id)) {
            for (const step of members) nodes.push({ id: step.name, steps: [step] });
            for (const step of members) nodeOf.set(step.name, step.name);
        } else {
            nodes.push({ id, steps: members });
            for (const step of members) nodeOf.set(step.name, id);
        }
    }
    return { nodes, edges: unique(real.map((edge) => ({ from: nodeOf.get(edge.from)!, to: nodeOf.get(edge.to)! }))) };
}

function groupAlike(steps: Step[], edges: Edge[]): Step[][] {
    const before = new Map<string, string[]>();
    const after = new Map<string, string[]>();
    for (const { from, to } of edges) {
        push(before, to, from);
        push(after, from, to);
    }
    const groups = new Map<string, Step[]>();
    for (const step of steps) {
        const neighbours = [before.get(step.name) ?? [], after.get(step.name) ?? []].map((names) => [...names].sort());
        push(groups, JSON.stringify([step.kind, ...neighbours]), step);
    }
    return [...groups.values()];
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V) {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
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

/** Of a group: what a person would want to know first. */
export function stateOfGroup(steps: Step[]): StepState {
    const counts = countsOf(steps);
    if (counts.failed) return 'FAILED';
    if (counts.running) return 'RUNNING';
    if (counts.ready) return 'READY';
    if (counts.waiting) return counts.completed ? 'RUNNING' : 'WAITING';
    if (counts.cancelled) return 'CANCELLED';
    return counts.completed ? 'COMPLETED' : 'SKIPPED';
}

/** Changes when nodes or edges do, not when states do: a layout is kept as long as it stays. */
export const shapeOf = (graph: Graph) =>
    JSON.stringify([graph.nodes.map((node) => node.id), graph.edges.map(({ from, to }) => [from, to])]);

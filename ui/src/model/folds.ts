import type { Edge, Step } from '../api/types';

/** The minimum number of similar steps that are drawn as one node. */
export const foldLimit = 6;
/** The maximum number of nodes that are readable beside each other. */
export const readable = 40;

/**
 * The groups of steps that are drawn as one node. Steps of one kind with the same neighbours form a group if there are at least `foldLimit`.
 * If more nodes than `readable` remain, steps of one kind whose names differ only in numbers form groups, too, unless this closes a cycle.
 */
export function foldsOf(steps: Step[], edges: Edge[]): Step[][] {
    const folds = alike(steps, edges).flatMap((members) => (members.length < foldLimit ? members.map((step) => [step]) : [members]));
    return folds.length > readable ? foldFamilies(folds, edges) : folds;
}

/** The common part of all members' names: "fan-*" for fan-1 and fan-2; null if there is none. */
export function familyOf(steps: Step[]): string | null {
    const name = family(steps[0]!);
    return steps.every((step) => family(step) === name) ? name : null;
}

const family = (step: Step) => step.name.replace(/\d+/g, '*');

function alike(steps: Step[], edges: Edge[]): Step[][] {
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

/** Folds whole families, the largest first. A family that would close a cycle is folded rank by rank. */
function foldFamilies(folds: Step[][], edges: Edge[]): Step[][] {
    const depth = depthsOf(folds.flat(), edges);
    let current = folds;
    for (const members of familiesOf(folds, () => '')) {
        const whole = merged(current, members);
        if (!hasCircle(whole, edges)) {
            current = whole;
            continue;
        }
        for (const level of familiesOf(members, (step) => String(depth.get(step.name)))) {
            const next = merged(current, level);
            if (!hasCircle(next, edges)) current = next;
        }
    }
    return current;
}

/** The folds of one family, kind and rank that have enough steps, the largest first. */
function familiesOf(folds: Step[][], rank: (step: Step) => string): Step[][][] {
    const families = new Map<string, Step[][]>();
    for (const fold of folds) {
        const name = familyOf(fold);
        if (name !== null) push(families, JSON.stringify([name, fold[0]!.kind, rank(fold[0]!)]), fold);
    }
    const size = (family: Step[][]) => family.reduce((sum, fold) => sum + fold.length, 0);
    return [...families.values()].filter((family) => family.length > 1 && size(family) >= foldLimit).sort((a, b) => size(b) - size(a));
}

/** Replaces the members by one fold, in the place of the first member. */
function merged(folds: Step[][], members: Step[][]): Step[][] {
    const rest = new Set(members.slice(1));
    return folds.filter((fold) => !rest.has(fold)).map((fold) => (fold === members[0] ? members.flat() : fold));
}

function hasCircle(folds: Step[][], edges: Edge[]): boolean {
    const foldOf = new Map(folds.flatMap((fold, index) => fold.map((step) => [step.name, index] as const)));
    const between = edges.map(({ from, to }) => [foldOf.get(from)!, foldOf.get(to)!] as const).filter(([from, to]) => from !== to);
    return inOrder(folds.map((_, index) => index), between).length < folds.length;
}

/** The rank of each step: the number of steps before it on its longest path. */
function depthsOf(steps: Step[], edges: Edge[]): Map<string, number> {
    const depth = new Map(steps.map((step) => [step.name, 0]));
    const after = new Map<string, string[]>();
    for (const { from, to } of edges) push(after, from, to);
    const order = inOrder([...depth.keys()], edges.map(({ from, to }) => [from, to] as const));
    for (const name of order) for (const next of after.get(name) ?? []) depth.set(next, Math.max(depth.get(next)!, depth.get(name)! + 1));
    return depth;
}

/** A topological order, without steps on or behind a cycle. */
function inOrder<T>(all: T[], edges: (readonly [T, T])[]): T[] {
    const open = new Map(all.map((one) => [one, 0]));
    const after = new Map<T, T[]>();
    for (const [from, to] of edges) {
        push(after, from, to);
        open.set(to, open.get(to)! + 1);
    }
    const order = all.filter((one) => open.get(one) === 0);
    for (const one of order)
        for (const next of after.get(one) ?? []) {
            const left = open.get(next)! - 1;
            open.set(next, left);
            if (left === 0) order.push(next);
        }
    return order;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V) {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
}

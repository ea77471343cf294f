import { describe, expect, it } from 'vitest';
import type { Edge, Step } from '../api/types';
import { foldLimit, readable } from './folds';
import { countsOf, graphOf, shapeOf, stateOfGroup, titleOf } from './graph';
import { layoutsOf } from './layout';
import { nodeHeight, nodeWidth } from './shape';
import { directionOf, heightOf, pathThrough, smallestFit, viewportOf } from './view';
import { step } from './samples';

/** One step, many parallel steps, and one that depends on all of them. */
function fan(width: number): [Step[], Edge[]] {
    const middle = Array.from({ length: width }, (_, index) => step(`middle-${index}`));
    const edges = middle.flatMap(({ name }) => [{ from: 'first', to: name }, { from: name, to: 'last' }]);
    return [[step('first'), ...middle, step('last')], edges];
}

describe('The graph of a job', () => {
    it('draws neither items nor hooks', () => {
        const graph = graphOf([step('a'), step('a[0]', 'RUNNING', { item: 0 }), step('tell', 'WAITING', { hook: true })], []);
        expect(graph.nodes.map((node) => node.id)).toEqual(['a']);
    });
    it('draws a few similar steps individually', () => {
        const [steps, edges] = fan(foldLimit - 1);
        expect(graphOf(steps, edges).nodes).toHaveLength(steps.length);
    });
    it('draws many similar steps as one node, with one edge to each neighbour', () => {
        const [steps, edges] = fan(498);
        const graph = graphOf(steps, edges);
        expect(graph.nodes.map((node) => [node.id, node.steps.length])).toEqual([['first', 1], ['group:middle-0', 498], ['last', 1]]);
        expect(graph.edges).toEqual([{ from: 'first', to: 'group:middle-0' }, { from: 'group:middle-0', to: 'last' }]);
    });
    it('opens a requested group', () => {
        const [steps, edges] = fan(10);
        expect(graphOf(steps, edges, new Set(['group:middle-0'])).nodes).toHaveLength(12);
    });
    it('groups nothing when folding is off', () => {
        const [steps, edges] = fan(10);
        expect(graphOf(steps, edges, new Set(), false).nodes).toHaveLength(12);
    });
    it('does not group steps of different kinds or neighbours', () => {
        const [steps, edges] = fan(10);
        const changed = steps.map((one) => (one.name === 'middle-3' ? { ...one, kind: 'approval' as const } : one));
        expect(graphOf(changed, [...edges, { from: 'middle-5', to: 'other' }], new Set()).nodes).toHaveLength(4);
    });
    it('drops edges to steps that are not drawn', () => {
        expect(graphOf([step('a')], [{ from: 'gone', to: 'a' }]).edges).toEqual([]);
    });
    it('keeps its shape when only states change', () => {
        const [steps, edges] = fan(3);
        const later = steps.map((one) => ({ ...one, state: 'COMPLETED' as const }));
        expect(shapeOf(graphOf(later, edges))).toEqual(shapeOf(graphOf(steps, edges)));
    });
});

/** A fan, a chain, and pairs that depend on one of each: no two steps have the same neighbours. */
function woven(width: number): [Step[], Edge[]] {
    const numbers = Array.from({ length: width }, (_, index) => index);
    const steps = ['begin', ...numbers.flatMap((i) => [`fan-${i}`, `chain-${i}`, `pair-${i}`])].map((name) => step(name));
    const edges = numbers.flatMap((i) => [
        { from: 'begin', to: `fan-${i}` },
        { from: i ? `chain-${i - 1}` : 'begin', to: `chain-${i}` },
        { from: `fan-${i}`, to: `pair-${i}` },
        { from: `chain-${i}`, to: `pair-${i}` },
    ]);
    return [steps, edges];
}

describe('A graph with too many nodes to read', () => {
    it('draws steps whose names differ only in numbers as one node', () => {
        const [steps, edges] = woven(150);
        const graph = graphOf(steps, edges);
        expect(graph.nodes.map((node) => [titleOf(node), node.steps.length])).toEqual([['begin', 1], ['fan-*', 150], ['chain-*', 150], ['pair-*', 150]]);
        expect(graph.edges).toHaveLength(4);
    });
    it('is not folded while it is readable', () => {
        const [steps, edges] = woven(Math.floor((readable - 1) / 3));
        expect(graphOf(steps, edges).nodes).toHaveLength(steps.length);
    });
    it('opens one group and leaves the others closed', () => {
        const [steps, edges] = woven(150);
        expect(graphOf(steps, edges, new Set(['group:fan-0'])).nodes).toHaveLength(153);
    });
    it('folds a family by depth if folding it whole would close a cycle', () => {
        // Rows of a, b, a: folding all of a would close a cycle through b.
        const rows = Array.from({ length: 20 }, (_, index) => index);
        const steps = rows.flatMap((i) => [step(`a-${i}`), step(`b-${i}`), step(`a-${i + 100}`)]);
        const edges = rows.flatMap((i) => [{ from: `a-${i}`, to: `b-${i}` }, { from: `b-${i}`, to: `a-${i + 100}` }]);
        const graph = graphOf(steps, edges);
        expect(graph.nodes.map((node) => [titleOf(node), node.steps.length])).toEqual([['a-*', 20], ['b-*', 20], ['a-*', 20]]);
        expect(graph.edges).toEqual([{ from: 'group:a-0', to: 'group:b-0' }, { from: 'group:b-0', to: 'group:a-100' }]);
    });
    it('keeps kinds apart', () => {
        const [steps, edges] = woven(150);
        const kinds = graphOf(steps.map((one, index) => (index % 2 && one.name.startsWith('fan') ? { ...one, kind: 'wait' } : one)), edges).nodes.map((node) => node.steps[0]!.kind);
        expect(kinds.filter((kind) => kind === 'wait')).toHaveLength(1);
    });
});

describe('A group of steps', () => {
    it('shows the most important state', () => {
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'FAILED'), step('c', 'RUNNING')])).toBe('FAILED');
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'WAITING')])).toBe('RUNNING');
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'SKIPPED')])).toBe('COMPLETED');
        expect(stateOfGroup([step('b', 'SKIPPED')])).toBe('SKIPPED');
    });
    it('counts its members by state', () => {
        expect(countsOf([step('a', 'FAILED'), step('b', 'FAILED'), step('c', 'READY')])).toMatchObject({ failed: 2, ready: 1, waiting: 0 });
    });
});

const chain = (length: number) => {
    const names = Array.from({ length }, (_, index) => `step-${index}`);
    return { nodes: names, edges: names.slice(1).map((to, index) => ({ from: names[index]!, to })) };
};

describe('The layout of a graph', () => {
    const [steps, edges] = fan(4);
    const layouts = layoutsOf(shapeOf(graphOf(steps, edges)));

    it('puts a step to the right of its dependencies, without overlaps', () => {
        const { places } = layouts.across;
        expect(places.get('middle-0')!.x).toBeGreaterThanOrEqual(places.get('first')!.x + nodeWidth);
        expect(places.get('last')!.x).toBeGreaterThanOrEqual(places.get('middle-0')!.x + nodeWidth);
        expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(6);
    });
    it('or below them', () => {
        expect(layouts.down!.places.get('last')!.y).toBeGreaterThanOrEqual(layouts.down!.places.get('first')!.y + 2 * nodeHeight);
    });
    it('is drawn across if that is readable, and down otherwise', () => {
        expect(directionOf(layoutsOf(chain(4)), 1100)).toBe('across');
        expect(directionOf(layoutsOf(chain(9)), 1100)).toBe('down');
        expect(directionOf(layoutsOf(chain(4)), 360)).toBe('down');
        expect(directionOf(layoutsOf(chain(50)), 1100)).toBe('across');
    });
    it('leads an edge around the nodes between its ends', () => {
        const { across } = layoutsOf({ nodes: ['a', 'b', 'c'], edges: [{ from: 'a', to: 'b' }, { from: 'b', to: 'c' }, { from: 'a', to: 'c' }] });
        const beside = across.bends.get('a→c')!.find(({ x }) => Math.abs(x - across.places.get('b')!.x - nodeWidth / 2) < 1)!;
        const above = beside.y - across.places.get('b')!.y;
        expect(above < 0 || above > nodeHeight).toBe(true);
        expect(across.bends.has('a→b')).toBe(false);
    });
    it('is as high as it needs to be, within limits', () => {
        const { across, down } = layoutsOf(chain(9));
        expect(heightOf(across, 1100, 'across')).toBe(280);
        expect(heightOf(down!, 1100, 'down')).toBeGreaterThan(down!.height);
    });
    it('is shown in full, or from its beginning if that is too small', () => {
        const small = layoutsOf(chain(3)).across;
        const whole = viewportOf(small, { width: 1100, height: 300 }, { x: 0, y: 0 });
        expect(whole.zoom).toBe(1);
        expect(whole.x * 2 + small.width).toBeCloseTo(1100);
        const long = layoutsOf(chain(50)).across;
        const begin = viewportOf(long, { width: 1100, height: 300 }, long.places.get('step-0')!);
        expect(begin.zoom).toBeGreaterThan(smallestFit);
        expect(begin.x).toBeGreaterThan(0);
    });
    it('draws an edge along its direction', () => {
        expect(pathThrough([{ x: 0, y: 0 }, { x: 10, y: 4 }], 'across')).toBe('M0,0 C5,0 5,4 10,4');
        expect(pathThrough([{ x: 0, y: 0 }, { x: 10, y: 4 }], 'down')).toBe('M0,0 C0,2 10,2 10,4');
    });
});

import { describe, expect, it } from 'vitest';
import type { Edge, Step } from '../api/types';
import { alikeLimit, countsOf, graphOf, shapeOf, stateOfGroup } from './graph';
import { layoutOf, nodeWidth } from './layout';
import { step } from './samples';

/** One step, many beside each other, one that waits for all. */
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
    it('leaves few alike as they are', () => {
        const [steps, edges] = fan(alikeLimit - 1);
        expect(graphOf(steps, edges).nodes).toHaveLength(steps.length);
    });
    it('draws many alike as one, with one edge to each neighbour', () => {
        const [steps, edges] = fan(498);
        const graph = graphOf(steps, edges);
        expect(graph.nodes.map((node) => [node.id, node.steps.length])).toEqual([['first', 1], ['group:middle-0', 498], ['last', 1]]);
        expect(graph.edges).toEqual([{ from: 'first', to: 'group:middle-0' }, { from: 'group:middle-0', to: 'last' }]);
    });
    it('opens a group that is asked for', () => {
        const [steps, edges] = fan(10);
        expect(graphOf(steps, edges, new Set(['group:middle-0'])).nodes).toHaveLength(12);
    });
    it('groups nothing when told so', () => {
        const [steps, edges] = fan(10);
        expect(graphOf(steps, edges, new Set(), false).nodes).toHaveLength(12);
    });
    it('does not group steps of different kinds or neighbours', () => {
        const [steps, edges] = fan(10);
        const changed = steps.map((one) => (one.name === 'middle-3' ? { ...one, kind: 'approval' } : one));
        expect(graphOf(changed, [...edges, { from: 'middle-5', to: 'other' }], new Set()).nodes).toHaveLength(4);
    });
    it('drops edges to what is not drawn', () => {
        expect(graphOf([step('a')], [{ from: 'gone', to: 'a' }]).edges).toEqual([]);
    });
    it('keeps its shape when only states change', () => {
        const [steps, edges] = fan(3);
        const later = steps.map((one) => ({ ...one, state: 'COMPLETED' as const }));
        expect(shapeOf(graphOf(later, edges))).toBe(shapeOf(graphOf(steps, edges)));
    });
});

describe('A group of steps', () => {
    it('shows first what a person would want to know', () => {
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'FAILED'), step('c', 'RUNNING')])).toBe('FAILED');
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'WAITING')])).toBe('RUNNING');
        expect(stateOfGroup([step('a', 'COMPLETED'), step('b', 'SKIPPED')])).toBe('COMPLETED');
        expect(stateOfGroup([step('b', 'SKIPPED')])).toBe('SKIPPED');
    });
    it('counts its members by state', () => {
        expect(countsOf([step('a', 'FAILED'), step('b', 'FAILED'), step('c', 'READY')])).toMatchObject({ failed: 2, ready: 1, waiting: 0 });
    });
});

describe('The layout of a graph', () => {
    it('puts what depends to the right of what it depends on, and no two nodes on one place', () => {
        const [steps, edges] = fan(4);
        const places = layoutOf(graphOf(steps, edges));
        expect(places.get('middle-0')!.x).toBeGreaterThanOrEqual(places.get('first')!.x + nodeWidth);
        expect(places.get('last')!.x).toBeGreaterThanOrEqual(places.get('middle-0')!.x + nodeWidth);
        expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(6);
    });
});

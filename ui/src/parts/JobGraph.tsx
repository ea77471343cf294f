import { Background, Controls, Handle, MarkerType, MiniMap, Panel, Position, ReactFlow, ReactFlowProvider, useReactFlow, type Edge as FlowEdge, type Node, type NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { memo, useEffect, useMemo, useState } from 'react';
import type { JobStory, Step } from '../api/types';
import { alikeLimit, countsOf, drawnSteps, graphOf, shapeOf, stateOfGroup, totalOf, type Graph, type GraphNode } from '../model/graph';
import { layoutOf, nodeHeight, nodeWidth, type Place } from '../model/layout';
import { plural } from '../text/number';
import { Icon, type IconName } from './Icon';
import { stateIcons } from './StateBadge';
import { StepsBar } from './StepsBar';
import { useTheme } from './theme';
import { Lasting } from './Time';

type StepNode = Node<{ node: GraphNode; chosen: boolean; open: () => void }, 'step'>;
const nodeTypes = { step: memo(StepBox) };
/** So many nodes are readable at once when the graph is fitted into its place. */
const readable = 40;

/** The steps of a job and what each waits for, live. */
export default function JobGraph(props: { story: JobStory; chosen: string | null; choose: (step: string | null) => void }) {
    return (
        <ReactFlowProvider>
            <Canvas {...props} />
        </ReactFlowProvider>
    );
}

let latest: { shape: string; places: Map<string, Place> } | null = null;
/** Kept outside of the component: a first drawing that news interrupt begins anew and remembers nothing, and a large layout takes seconds. */
function placesOf(graph: Graph, shape: string): Map<string, Place> {
    if (latest?.shape !== shape) latest = { shape, places: layoutOf(graph) };
    return latest.places;
}

function Canvas({ story, chosen, choose }: { story: JobStory; chosen: string | null; choose: (step: string | null) => void }) {
    const [groups, setGroups] = useState(true);
    const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
    const theme = useTheme();
    const flow = useReactFlow();
    const graph = useMemo(() => graphOf(story.steps, story.edges, opened, groups), [story.steps, story.edges, opened, groups]);
    const shape = shapeOf(graph);
    const places = placesOf(graph, shape);
    const stepCount = drawnSteps(story.steps).length;
    const canGroup = useMemo(() => graphOf(story.steps, story.edges).nodes.length < stepCount, [story.steps, story.edges, stepCount]);

    const nodes = useMemo<StepNode[]>(
        () =>
            graph.nodes.map((node) => ({
                id: node.id,
                type: 'step',
                position: places.get(node.id) ?? { x: 0, y: 0 },
                width: nodeWidth,
                height: nodeHeight,
                draggable: false,
                connectable: false,
                ariaLabel: labelOf(node),
                data: { node, chosen: node.steps.length === 1 && node.id === chosen, open: () => openNode(node) },
            })),
        [graph, places, chosen],
    );
    const edges = useMemo<FlowEdge[]>(() => edgesOf(story.steps, graph.edges), [graph]);

    function openNode(node: GraphNode) {
        if (node.steps.length === 1) choose(node.id === chosen ? null : node.id);
        else setOpened(new Set([...opened, node.id]));
    }
    useEffect(() => {
        const timer = setTimeout(() => show(), 30);
        return () => clearTimeout(timer);
    }, [shape]);
    /** All of it, unless that is too small to read: then its beginning. */
    function show() {
        if (graph.nodes.length <= readable) return void flow.fitView({ padding: 0.06, maxZoom: 1, minZoom: 0.6 });
        const placed = graph.nodes.map(({ id }) => ({ id, ...places.get(id)! }));
        const begin = placed.reduce((first, node) => (node.x < first.x ? node : first));
        void flow.fitView({ nodes: [begin], maxZoom: 0.7 });
    }

    return (
        <div className="graph" role="region" aria-label="Graph of the steps">
            <ReactFlow<StepNode>
                nodes={nodes}
                edges={edges}
                nodeTypes={nodeTypes}
                colorMode={theme}
                onlyRenderVisibleElements
                nodesDraggable={false}
                nodesConnectable={false}
                elementsSelectable
                edgesFocusable={false}
                onNodeClick={(_, node) => node.data.open()}
                onPaneClick={() => choose(null)}
                onKeyDown={(event) => {
                    const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id;
                    const node = id && graph.nodes.find((one) => one.id === id);
                    if (node && (event.key === 'Enter' || event.key === ' ')) openNode(node);
                    if (event.key === 'Escape') choose(null);
                }}
                minZoom={0.04}
                maxZoom={1.6}
                preventScrolling={false}
                zoomOnScroll={false}
                panOnScroll={false}
                zoomActivationKeyCode={['Control', 'Meta']}
                proOptions={{ hideAttribution: true }}
                deleteKeyCode={null}
                fitView
                fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
            >
                <Background gap={24} size={1} />
                <Controls showInteractive={false} />
                {graph.nodes.length > readable && <MiniMap pannable zoomable nodeClassName={(node) => `is-${stateOfGroup((node as StepNode).data.node.steps)}`} ariaLabel="Small map of the graph" />}
                <Panel position="top-right">
                    <div className="graph-tools">
                        {opened.size > 0 && groups && (
                            <button type="button" className="button button-small" onClick={() => setOpened(new Set())}>
                                Fold
                            </button>
                        )}
                        {canGroup && (
                            <button type="button" className="button button-small" aria-pressed={groups} onClick={() => setGroups(!groups)} title={`Steps with the same neighbours are one node, from ${alikeLimit} on`}>
                                Group alike
                            </button>
                        )}
                        <button type="button" className="button button-small" onClick={() => void flow.fitView({ padding: 0.08, maxZoom: 1 })}>
                            <Icon name="fit" size={13} /> Fit
                        </button>
                    </div>
                </Panel>
            </ReactFlow>
            <p className="graph-foot faint">
                {plural(stepCount, 'step')}
                {graph.nodes.length < stepCount && `, drawn as ${graph.nodes.length} nodes`}. Drag to move, Ctrl and wheel to zoom; click a step for its log.
            </p>
        </div>
    );
}

function edgesOf(steps: Step[], edges: { from: string; to: string }[]): FlowEdge[] {
    const states = new Map(steps.map((step) => [step.name, step.state]));
    return edges.map(({ from, to }) => {
        const isLive = states.get(to) === 'RUNNING';
        const isDone = states.get(from) === 'COMPLETED';
        return {
            id: `${from}→${to}`,
            source: from,
            target: to,
            className: isLive ? 'edge-live' : isDone ? 'edge-done' : 'edge-open',
            markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
            focusable: false,
        };
    });
}

const kindIcons: Record<string, IconName> = { approval: 'user', wait: 'clock', workflow: 'child', task: 'tasks' };

function labelOf(node: GraphNode): string {
    const step = node.steps[0]!;
    if (node.steps.length > 1) return `${node.steps.length} steps like ${step.name}, ${stateOfGroup(node.steps)}. Press Enter to open them`;
    return `Step ${step.name}, ${step.kind}, ${step.state}`;
}

function StepBox({ data }: NodeProps<StepNode>) {
    const { node, chosen } = data;
    const step = node.steps[0]!;
    const isGroup = node.steps.length > 1;
    const state = isGroup ? stateOfGroup(node.steps) : step.state;
    const counts = isGroup ? countsOf(node.steps) : step.items;
    return (
        <div className={`step-box is-${state} ${isGroup || step.items ? 'step-box-many' : ''} ${chosen ? 'step-box-chosen' : ''}`}>
            <Handle type="target" position={Position.Left} isConnectable={false} />
            <div className="step-box-head">
                <Icon name={isGroup ? 'queues' : step.items ? 'queues' : (kindIcons[step.kind] ?? 'tasks')} size={13} />
                <span className="one-line" title={step.name}>
                    {isGroup ? `${step.name} … ${node.steps.length} alike` : step.name}
                </span>
            </div>
            {counts && totalOf(counts) > 0 ? (
                <StepsBar counts={counts} />
            ) : (
                <div className="step-box-foot">
                    <span className="step-box-state">
                        <Icon name={stateIcons[state]} size={13} className={state === 'RUNNING' ? 'turns' : ''} /> {state}
                    </span>
                    {step.state === 'RUNNING' && step.progress ? <span>{Math.floor(step.progress.fraction * 100)}%</span> : step.started_at && <Lasting from={step.started_at} to={step.finished_at} />}
                </div>
            )}
            {step.state === 'RUNNING' && step.progress && <span className="step-box-progress" style={{ width: `${Math.min(1, step.progress.fraction) * 100}%` }} />}
            <Handle type="source" position={Position.Right} isConnectable={false} />
        </div>
    );
}

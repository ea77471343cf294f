import { Background, BaseEdge, Controls, Handle, MarkerType, MiniMap, Panel, Position, ReactFlow, ReactFlowProvider, useReactFlow, type Edge as FlowEdge, type EdgeProps, type Node, type NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { memo, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Edge, JobStory } from '../api/types';
import { foldLimit } from '../model/folds';
import { countsOf, drawnSteps, graphOf, stateOfGroup, titleOf, totalOf, type Graph, type GraphNode } from '../model/graph';
import { edgeId, nodeHeight, nodeWidth, type Layout, type Place } from '../model/shape';
import { directionOf, fitOf, heightOf, pathThrough, smallestFit, viewportOf, type Direction } from '../model/view';
import { plural } from '../text/number';
import { Icon, type IconName } from './Icon';
import { stateIcons } from './StateBadge';
import { StepsBar } from './StepsBar';
import { useTheme } from './theme';
import { Lasting } from './Time';
import { useLayouts } from './useLayouts';

type StepNode = Node<{ node: GraphNode; chosen: boolean; direction: Direction }, 'step'>;
type StepEdge = FlowEdge<{ bends: Place[]; direction: Direction }, 'step'>;
const nodeTypes = { step: memo(StepBox) };
const edgeTypes = { step: memo(Way) };

interface Props {
    story: JobStory;
    chosen: string | null;
    choose: (id: string | null) => void;
    /** The groups whose members are drawn individually. */
    opened: ReadonlySet<string>;
    fold: () => void;
}

/** The steps of a job and their dependencies, live. */
export default function JobGraph({ story, chosen, choose, opened, fold }: Props) {
    const [isFolded, setFolded] = useState(true);
    const graph = useMemo(() => graphOf(story.steps, story.edges, opened, isFolded), [story.steps, story.edges, opened, isFolded]);
    const { layouts, isCurrent, failed } = useLayouts(graph);
    const place = useRef<HTMLDivElement>(null);
    const room = useRoom(place);
    const stepCount = drawnSteps(story.steps).length;
    const canFold = useMemo(() => graphOf(story.steps, story.edges).nodes.length < stepCount, [story.steps, story.edges, stepCount]);
    const direction = layouts ? directionOf(layouts, room) : 'across';
    const layout = layouts?.[direction] ?? null;

    return (
        <div className="graph" role="region" aria-label="Graph of the steps" ref={place} style={layout ? { height: heightOf(layout, room, direction) } : undefined}>
            {layout && (
                <ReactFlowProvider key={direction}>
                    <Canvas graph={graph} layout={layout} direction={direction} chosen={chosen} choose={choose} place={place}>
                        {opened.size > 0 && isFolded && (
                            <button type="button" className="button button-small" onClick={fold}>
                                Fold
                            </button>
                        )}
                        {canFold && (
                            <button type="button" className="button button-small" aria-pressed={isFolded} onClick={() => setFolded(!isFolded)} title={`Draw ${foldLimit} or more similar steps as one node`}>
                                Group similar steps
                            </button>
                        )}
                    </Canvas>
                </ReactFlowProvider>
            )}
            {failed ? (
                <p className="graph-veil" role="alert">
                    The graph could not be laid out. The timeline shows the same steps.
                </p>
            ) : (
                !isCurrent && (
                    <p className="graph-veil graph-place" role="status">
                        <Icon name="running" className="turns" /> Laying out {plural(graph.nodes.length, 'node')}
                    </p>
                )
            )}
            <p className="graph-foot faint">
                {plural(stepCount, 'step')}
                {graph.nodes.length < stepCount && `, drawn as ${plural(graph.nodes.length, 'node')}`}. Drag to move, Ctrl and wheel to zoom; click a step for its log.
            </p>
        </div>
    );
}

/** The width of the graph without a step panel, so that opening the panel does not change the direction of the graph. */
function useRoom(place: RefObject<HTMLDivElement | null>): number {
    const [room, setRoom] = useState(window.innerWidth);
    useEffect(() => {
        const view = place.current!.closest('.job-view')!;
        const observer = new ResizeObserver(() => setRoom(view.clientWidth));
        observer.observe(view);
        return () => observer.disconnect();
    }, []);
    return room;
}

interface CanvasProps {
    graph: Graph;
    layout: Layout;
    direction: Direction;
    chosen: string | null;
    choose: (id: string | null) => void;
    place: RefObject<HTMLDivElement | null>;
    children: React.ReactNode;
}

function Canvas({ graph, layout, direction, chosen, choose, place, children }: CanvasProps) {
    const theme = useTheme();
    const flow = useReactFlow();
    /** The user has moved the graph, so it keeps its position. */
    const isMoved = useRef(false);
    const [isWhole, setWhole] = useState(true);
    const nodes = useMemo<StepNode[]>(
        () =>
            graph.nodes
                .filter((node) => layout.places.has(node.id))
                .map((node) => ({
                    id: node.id,
                    type: 'step',
                    position: layout.places.get(node.id)!,
                    width: nodeWidth,
                    height: nodeHeight,
                    draggable: false,
                    connectable: false,
                    ariaLabel: labelOf(node),
                    data: { node, chosen: isChosen(node, chosen), direction },
                })),
        [graph, layout, chosen, direction],
    );
    const edges = useMemo<StepEdge[]>(() => edgesOf(graph, layout, direction), [graph, layout, direction]);
    const toggle = (id: string) => choose(id === chosen ? null : id);

    function show() {
        const { clientWidth: width, clientHeight: height } = place.current!;
        const begin = nodes.find((node) => node.data.chosen) ?? nodes[0];
        setWhole(fitOf(layout, width) >= smallestFit && layout.height * smallestFit <= height);
        void flow.setViewport(viewportOf(layout, { width, height }, begin?.position ?? { x: 0, y: 0 }));
    }
    useEffect(() => {
        isMoved.current = false;
        const observer = new ResizeObserver(() => !isMoved.current && show());
        observer.observe(place.current!);
        return () => observer.disconnect();
    }, [layout]);

    return (
        <ReactFlow<StepNode, StepEdge>
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            colorMode={theme}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            elementsSelectable
            edgesFocusable={false}
            onNodeClick={(_, node) => toggle(node.id)}
            onPaneClick={() => choose(null)}
            onMove={(event) => {
                if (event) isMoved.current = true;
            }}
            onKeyDown={(event) => {
                const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id;
                if (id && (event.key === 'Enter' || event.key === ' ')) toggle(id);
                if (event.key === 'Escape') choose(null);
            }}
            minZoom={0.02}
            maxZoom={1.6}
            preventScrolling={false}
            zoomOnScroll={false}
            panOnScroll={false}
            zoomActivationKeyCode={['Control', 'Meta']}
            proOptions={{ hideAttribution: true }}
            deleteKeyCode={null}
        >
            <Background gap={24} size={1} />
            <Controls showInteractive={false} showFitView={false} />
            {!isWhole && <MiniMap pannable zoomable nodeClassName={(node) => `is-${stateOfGroup((node as StepNode).data.node.steps)}`} ariaLabel="Minimap of the graph" />}
            <Panel position="top-right">
                <div className="graph-tools">
                    {children}
                    {!isWhole && (
                        <button type="button" className="button button-small" onClick={() => void flow.fitView({ padding: 0.08, maxZoom: 1 })}>
                            <Icon name="fit" size={13} /> Fit
                        </button>
                    )}
                </div>
            </Panel>
        </ReactFlow>
    );
}

const isChosen = (node: GraphNode, chosen: string | null) => node.id === chosen || node.steps.some((step) => step.name === chosen);

function edgesOf({ nodes, edges }: Graph, layout: Layout, direction: Direction): StepEdge[] {
    const states = new Map(nodes.map((node) => [node.id, stateOfGroup(node.steps)]));
    return edges.map((edge: Edge) => ({
        id: edgeId(edge),
        type: 'step',
        source: edge.from,
        target: edge.to,
        data: { bends: layout.bends.get(edgeId(edge)) ?? [], direction },
        className: states.get(edge.to) === 'RUNNING' ? 'edge-live' : states.get(edge.from) === 'COMPLETED' ? 'edge-done' : 'edge-open',
        markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
        focusable: false,
    }));
}

function Way({ sourceX, sourceY, targetX, targetY, data, markerEnd }: EdgeProps<StepEdge>) {
    const points = [{ x: sourceX, y: sourceY }, ...data!.bends, { x: targetX, y: targetY }];
    return <BaseEdge path={pathThrough(points, data!.direction)} {...(markerEnd ? { markerEnd } : {})} />;
}

const kindIcons: Record<string, IconName> = { approval: 'user', wait: 'clock', workflow: 'child', task: 'tasks' };

function labelOf(node: GraphNode): string {
    const step = node.steps[0]!;
    if (node.steps.length > 1) return `${node.steps.length} steps, ${titleOf(node)}, ${stateOfGroup(node.steps)}`;
    return `Step ${step.name}, ${step.kind}, ${step.state}`;
}

function StepBox({ data }: NodeProps<StepNode>) {
    const { node, chosen, direction } = data;
    const [before, after] = direction === 'down' ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right];
    const step = node.steps[0]!;
    const isGroup = node.steps.length > 1;
    const state = isGroup ? stateOfGroup(node.steps) : step.state;
    const counts = isGroup ? countsOf(node.steps) : step.items;
    return (
        <div className={`step-box is-${state} ${isGroup || step.items ? 'step-box-many' : ''} ${chosen ? 'step-box-chosen' : ''}`}>
            <Handle type="target" position={before} isConnectable={false} />
            <div className="step-box-head">
                <Icon name={isGroup ? 'queues' : step.items ? 'queues' : (kindIcons[step.kind] ?? 'tasks')} size={13} />
                <span className="one-line" title={titleOf(node)}>
                    {titleOf(node)}
                </span>
                {isGroup && <span className="step-box-count">{plural(node.steps.length, 'step')}</span>}
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
            <Handle type="source" position={after} isConnectable={false} />
        </div>
    );
}

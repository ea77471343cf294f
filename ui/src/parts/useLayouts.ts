import { useEffect, useState } from 'react';
import { shapeOf, type Graph } from '../model/graph';
import type { Layouts } from '../model/shape';

/** The most recent layouts by shape, for repeated folding and unfolding. */
const known = new Map<string, Layouts>();
const keep = 8;

/** The layouts of the graph, computed in a web worker; until they are ready, the previous ones. */
export function useLayouts(graph: Graph): { layouts: Layouts | null; isCurrent: boolean; failed: boolean } {
    const shape = JSON.stringify(shapeOf(graph));
    const [made, setMade] = useState<{ shape: string; layouts: Layouts } | null>(null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
        setFailed(false);
        const layouts = known.get(shape);
        if (layouts) return setMade({ shape, layouts });
        const worker = new Worker(new URL('../model/layout.worker.ts', import.meta.url), { type: 'module' });
        worker.onmessage = ({ data }: MessageEvent<Layouts>) => {
            remember(shape, data);
            setMade({ shape, layouts: data });
        };
        worker.onerror = () => setFailed(true);
        worker.postMessage(JSON.parse(shape));
        return () => worker.terminate();
    }, [shape]);
    const layouts = known.get(shape) ?? made?.layouts ?? null;
    return { layouts, isCurrent: known.has(shape), failed };
}

function remember(shape: string, layouts: Layouts) {
    known.set(shape, layouts);
    if (known.size > keep) known.delete(known.keys().next().value!);
}

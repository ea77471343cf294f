import { lazy, Suspense } from 'react';
import type { PlotProps } from './PlotCanvas';

const PlotCanvas = lazy(() => import('./PlotCanvas'));

/** A plot over time. A placeholder keeps its space while its code loads. */
export function Plot(props: PlotProps) {
    return (
        <figure className="plot">
            <Suspense fallback={<div className="plot-place" style={{ height: props.height ?? 180 }} />}>
                <PlotCanvas {...props} />
            </Suspense>
        </figure>
    );
}

import { layoutsOf } from './layout';
import type { Shape } from './shape';

// A large layout takes seconds; in a web worker it does not block the page.
onmessage = ({ data }: MessageEvent<Shape>) => postMessage(layoutsOf(data));

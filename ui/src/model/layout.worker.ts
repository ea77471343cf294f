import { layoutsOf } from './layout';
import type { Shape } from './shape';

// A large layout takes seconds: here it keeps nobody from reading and clicking.
onmessage = ({ data }: MessageEvent<Shape>) => postMessage(layoutsOf(data));

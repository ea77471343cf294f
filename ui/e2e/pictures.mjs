// Recreates docs/images: HOLDFAST=path/to/holdfast node e2e/pictures.mjs
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { go, launch, openPage } from './browser.mjs';
import { Stage, until } from './stage.mjs';

const config = `
worker: { heartbeat_interval: 500ms, snapshot_interval: 1s }
tasks:
  thumbnail: { script: 'sleep 0.0$((RANDOM % 9 + 1))' }
  import: { script: 'echo "row 17 has no price" >&2; exit 2' }
  video: { script: 'holdfast progress 0.4 "frame 960 of 2400"; sleep 600' }
workflows:
  release:
    input: { version: { type: text, required: true } }
    steps:
      checkout: { script: 'sleep 0.04' }
      systems: { script: 'sleep 0.1; echo "[1, 2, 3, 4]" > $HOLDFAST_RESULT', depends_on: checkout }
      compile: { script: 'sleep 0.9', depends_on: checkout }
      lint: { script: 'sleep 0.2', depends_on: checkout }
      test: { for_each: "{{ steps.systems.output }}", script: 'sleep 0.3', depends_on: [systems, compile] }
      package: { script: 'sleep 0.25', depends_on: [test, lint] }
      allow: { approval: "Publish {{ input.version }}?", depends_on: package }
      publish: { workflow: publish, depends_on: allow }
  publish: { steps: { upload: { script: 'true' } } }
`;
const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
const stage = new Stage(resolve(process.env.HOLDFAST ?? '../build/release/holdfast'), config);
const browser = await launch();
try {
    await stage.open();
    for (const name of ['web-1', 'web-2']) await stage.startWorker(name, '--concurrency', '6');
    await stage.post('/tasks', { tasks: Array.from({ length: 32 }, () => ({ name: 'thumbnail' })) });
    await stage.taskIn(await stage.submit({ name: 'import' }), 'FAILED');
    for (let i = 0; i < 3; i++) await stage.taskIn(await stage.submit({ name: 'video' }), 'RUNNING');
    const { id } = await stage.post('/jobs', { workflow: 'release', input: { version: 'v1.4.0' } });
    await until('the approval is asked for', async () => (await stage.get(`/jobs/${id}`)).steps.some((step) => step.name === 'allow' && step.state === 'RUNNING'));
    for (const [name, path, height] of [['overview', '/', 800], ['job', `/jobs/${id}`, 1080]]) {
        const page = await openPage(browser, stage.url, { viewport: { width: 1280, height } });
        await go(page, path);
        await page.screenshot({ path: join(folder, `${name}.png`) });
    }
} finally {
    await browser.close();
    await stage.close();
}

// Tests the page in a real browser with a real server and real workers: HOLDFAST=path/to/holdfast npm run e2e [part of a name ...]
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { launch, openPage, patience, picture, pictures } from './browser.mjs';
import { config } from './config.mjs';
import { Stage } from './stage.mjs';
import { accessTests } from './tests/access.mjs';
import { actionTests } from './tests/actions.mjs';
import { liveTests } from './tests/live.mjs';
import { pageTests } from './tests/pages.mjs';
import { scaleTests } from './tests/scale.mjs';

const program = resolve(process.env.HOLDFAST ?? '../build/release/holdfast');
if (!existsSync(program)) {
    console.error(`no program at ${program}: build it, or set HOLDFAST=PATH`);
    process.exit(2);
}
const wanted = process.argv.slice(2);
process.on('exit', () => Stage.killAll());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const stage = new Stage(program, config);
let browser;
let passed = 0;
const failures = [];

async function run(name, test) {
    if (wanted.length && !wanted.some((part) => name.includes(part))) return;
    const began = Date.now();
    const pages = [];
    const open = async (options = {}) => {
        const page = await openPage(browser, options.url ?? stage.url, options);
        pages.push(page);
        return page;
    };
    let limit;
    try {
        const tooLong = new Promise((_, fail) => (limit = setTimeout(() => fail(new Error(`it took longer than ${(patience * 2) / 1000} s`)), patience * 2)));
        await Promise.race([test({ stage, open, browser, program }), tooLong]);
        const complaints = pages.flatMap((page) => page.complaints);
        if (complaints.length) throw new Error(`the browser complained:\n    ${complaints.join('\n    ')}`);
        passed++;
        console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failures.push(name);
        console.log(`FAILED  ${name}\n    ${error.message.split('\n').slice(0, 12).join('\n    ')}`);
        for (const [index, page] of pages.entries()) await picture(page, `failed-${failures.length}-${index}`).catch(() => {});
    } finally {
        clearTimeout(limit);
        for (const page of pages) await page.context().close().catch(() => {});
    }
}

/** Runs two at a time: for tests that only read, each on its own page. */
async function runBeside(tests) {
    const left = Object.entries(tests);
    const lane = async () => {
        for (let next = left.shift(); next; next = left.shift()) await run(...next);
    };
    await Promise.all([lane(), lane()]);
}

rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
try {
    await stage.open();
    browser = await launch();
    await stage.startWorker('web-1', '--concurrency', '6');
    await runBeside(pageTests);
    for (const tests of [actionTests, liveTests, accessTests, scaleTests]) for (const [name, test] of Object.entries(tests)) await run(name, test);
} catch (error) {
    failures.push('the stage');
    console.log(`FAILED  the stage\n    ${error.stack}`);
} finally {
    await browser?.close();
    await stage.close();
}
console.log(`pictures: ${pictures}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(passed && !failures.length ? 0 : 1);

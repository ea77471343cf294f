import { accessibility, expect, go, narrow, picture, settled } from '../browser.mjs';
import { until } from '../stage.mjs';

/** Creates data for every page, once. */
let scenery;
export async function sceneryOf(stage) {
    scenery ??= makeScenery(stage);
    return scenery;
}

async function makeScenery(stage) {
    const done = await stage.submit({ name: 'greet', args: { name: 'Ada', deep: { list: [1, 2, { three: null }] } } });
    const failed = await stage.submit({ name: 'fails' });
    const waiting = await stage.submit({ name: 'no-worker-has-this', args: { a: 1 } });
    const running = await stage.submit({ name: 'slow' });
    const job = (await stage.post('/jobs', { workflow: 'release', input: { day: 'today' } })).id;
    const broken = (await stage.post('/jobs', { workflow: 'broken' })).id;
    await stage.taskIn(done, 'COMPLETED');
    await stage.taskIn(failed, 'FAILED');
    await stage.taskIn(running, 'RUNNING');
    await stage.jobIn(broken, 'FAILED');
    await until('the approval is asked for', async () => (await stage.get(`/jobs/${job}`)).steps.some((step) => step.name === 'allow' && step.state === 'RUNNING'));
    const worker = (await stage.get('/workers')).items[0].id;
    await until('the worker has told of itself twice', async () => (await stage.get(`/workers/${worker}/states`)).items.length > 1);
    return { done, failed, waiting, job, broken, worker };
}

const pathsOf = ({ failed, job, worker }) => ({
    overview: '/',
    tasks: '/tasks',
    task: `/tasks/${failed}`,
    jobs: '/jobs',
    job: `/jobs/${job}?step=pictures`,
    'job-timeline': `/jobs/${job}?view=timeline`,
    'job-events': `/jobs/${job}?view=events`,
    'job-definition': `/jobs/${job}?view=definition`,
    workers: '/workers',
    worker: `/workers/${worker}`,
    recovery: '/recovery',
    queues: '/queues',
    schedules: '/schedules',
    catalog: '/catalog',
    run: '/catalog/workflows/release',
    access: '/access',
    audit: '/audit',
});

async function fits(page, path) {
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow <= 0, `${path} is not wider than the screen, but by ${overflow} px`);
}

/** One page in the light and dark theme and on a narrow screen. */
async function lookAt(name, open, stage) {
    const path = pathsOf(await sceneryOf(stage))[name];
    const page = await open();
    await go(page, path);
    expect(!(await page.locator('.failed').count()), `${path} shows no error, but: ${await page.locator('.failed').allInnerTexts()}`);
    await fits(page, path);
    await picture(page, `${name}-light`);
    const found = await accessibility(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settled(page);
    await picture(page, `${name}-dark`);
    found.push(...(await accessibility(page, ['color-contrast'])).map((violation) => `dark: ${violation}`));
    await page.setViewportSize(narrow);
    await settled(page);
    await picture(page, `${name}-narrow`);
    await fits(page, path);
    expect(found.length === 0, `axe finds nothing, but:\n${found.join('\n')}`);
}

const pageNames = Object.keys(pathsOf({}));

export const pageTests = {
    ...Object.fromEntries(pageNames.map((name) => [`The page ${name} is accessible, light and dark, and fits a narrow screen`, ({ open, stage }) => lookAt(name, open, stage)])),

    async "A task's page tells its life, its log and its result"({ open, stage }) {
        const { done } = await sceneryOf(stage);
        const page = await open();
        await go(page, `/tasks/${done}`);
        await page.getByText('Attempt 1 completed').waitFor();
        await page.getByRole('log').getByText('Hello, Ada').waitFor();
        await page.getByText('"Hello, Ada"').first().waitFor();
        await page.getByLabel('Search the log').fill('warning');
        await page.getByText('1 of 1').waitFor();
    },

    async 'A waiting task says what it waits for'({ open, stage }) {
        const page = await open();
        await go(page, `/tasks/${(await sceneryOf(stage)).waiting}`);
        await page.getByText('none has queue default').first().waitFor();
    },

    async 'Filters are kept in the URL'({ open, stage }) {
        await sceneryOf(stage);
        const page = await open();
        await go(page, '/tasks');
        await page.getByRole('button', { name: /^FAILED/ }).click();
        await page.waitForURL(/state=FAILED/);
        await page.getByLabel('Name', { exact: true }).fill('fails');
        await page.waitForURL(/name=fails/);
        await until('only such tasks are left', async () => (await page.locator('.feed-table .col-name .row-link').allInnerTexts()).every((name) => name === 'fails'));
        await page.reload();
        await settled(page);
        expect((await page.getByLabel('Name', { exact: true }).inputValue()) === 'fails', 'the filter is kept over a reload');
    },

    async 'The graph shows the steps, and a step its log'({ open, stage }) {
        const { broken } = await sceneryOf(stage);
        const page = await open();
        await go(page, `/jobs/${broken}`);
        await page.locator('.react-flow__node', { hasText: 'two' }).click();
        await page.getByRole('complementary', { name: 'Step two' }).getByText('no such file').first().waitFor();
        await page.getByRole('tab', { name: 'Server Events' }).click();
        await page.getByText('job failed').first().waitFor();
    },

    async 'The keyboard reaches everything: skip link, search, dialogs that close on Escape'({ open, stage }) {
        const id = await stage.submit({ name: 'slow' });
        const page = await open();
        await go(page, `/tasks/${id}`);
        await page.keyboard.press('Tab');
        expect((await page.evaluate(() => document.activeElement.textContent)) === 'Skip to the content', 'the first stop is the skip link');
        await page.keyboard.press('/');
        expect(await page.evaluate(() => document.activeElement.type === 'search'), '/ leads to the search');
        await page.getByRole('button', { name: 'Cancel', exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        const found = await accessibility(page);
        expect(found.length === 0, `axe finds nothing in a dialog, but:\n${found.join('\n')}`);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect((await page.evaluate(() => document.activeElement.textContent)) === 'Cancel', 'the focus is given back');
    },

    async 'A chosen theme is kept'({ open }) {
        const page = await open();
        await go(page, '/queues');
        await page.getByRole('button', { name: /^Theme: system/ }).click();
        await page.getByRole('button', { name: /^Theme: light/ }).click();
        expect((await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'it is dark');
        await page.reload();
        await settled(page);
        expect((await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'it is still dark');
    },

    async 'Times are local, with UTC in the tooltip'({ open, stage }) {
        const page = await open();
        await go(page, `/tasks/${(await sceneryOf(stage)).done}`);
        expect((await page.locator('.timeline time').first().getAttribute('title')).includes('UTC'), 'the title has UTC');
    },

    async 'Missing pages and objects are reported'({ open }) {
        const page = await open({ allow: [/404/] });
        await page.goto(`${page.base}/nowhere`);
        await page.getByText('Page not found').waitFor();
        await page.goto(`${page.base}/tasks/01ffffff-ffff-7fff-bfff-ffffffffffff`);
        await page.getByText('could not be read').waitFor();
        await page.goto(`${page.base}/catalog/tasks/no.such.task`);
        await page.getByText('could not be read').waitFor();
    },

    async 'The first load is below 300 KB'({ open, stage }) {
        await sceneryOf(stage);
        const page = await open();
        const loads = [];
        page.on('requestfinished', (request) => !new URL(request.url()).pathname.startsWith('/api') && loads.push(request.sizes().then((sizes) => sizes.responseBodySize)));
        await go(page, '/');
        const bytes = (await Promise.all(loads)).reduce((sum, size) => sum + size, 0);
        expect(loads.length >= 3 && bytes > 10_000 && bytes < 300 * 1024, `the first load is below 300 KB, but ${loads.length} files have ${bytes} bytes`);
    },
};

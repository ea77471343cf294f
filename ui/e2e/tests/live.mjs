import { expect, go, picture, settled } from '../browser.mjs';

export const liveTests = {
    async 'Changes appear without a reload'({ open, stage }) {
        const page = await open();
        await go(page, '/tasks?name=greet');
        await page.locator('.live-live').waitFor();
        await page.mouse.move(1, 1);
        const id = await stage.submit({ name: 'greet', args: { name: 'Eve' } });
        await page.locator('tr', { has: page.locator(`code[title="${id}"]`) }).getByText('COMPLETED').waitFor();
    },

    async 'New rows wait while the reader is scrolled down'({ open, stage }) {
        const page = await open();
        await go(page, '/tasks?name=greet');
        await page.locator('.live-live').waitFor();
        await page.locator('.feed-table tbody tr').first().hover();
        const first = await page.locator('.feed-table .col-id code').first().getAttribute('title');
        await stage.submit({ name: 'greet', args: { name: 'Eve' } });
        await page.getByRole('button', { name: /new$/ }).waitFor();
        expect((await page.locator('.feed-table .col-id code').first().getAttribute('title')) === first, 'nothing has moved');
        await page.getByRole('button', { name: /new$/ }).click();
        await page.waitForFunction((old) => document.querySelector('.feed-table .col-id code').title !== old, first);
    },

    async 'Every open page shows the kill -9 of a worker'({ open, stage }) {
        await stage.startWorker('web-2', '--queue', 'far');
        const id = await stage.submit({ name: 'slow', queue: 'far' });
        await stage.taskIn(id, 'RUNNING');
        const [task, recovery] = [await open(), await open()];
        await go(task, `/tasks/${id}`);
        await go(recovery, '/recovery');
        await task.locator('h1 .state', { hasText: 'RUNNING' }).waitFor();
        await stage.killWorker('web-2');
        await task.locator('h1 .state', { hasText: 'FAILED' }).waitFor();
        await task.getByText('WORKER_CRASHED').first().waitFor();
        await task.locator('.evidence', { hasText: 'exited' }).first().waitFor();
        await recovery.locator('.recoveries', { hasText: 'was lost' }).waitFor();
        await picture(task, 'worker-killed-task');
        await picture(recovery, 'worker-killed-recovery');
    },

    async 'The page recovers after a restart of the server'({ open, stage }) {
        const page = await open({ allow: [/ERR_|Failed to load/] });
        await go(page, '/tasks?name=greet');
        await page.locator('.live-live').waitFor();
        await page.mouse.move(1, 1);
        await stage.stopServer();
        await page.locator('.live-reconnecting, .live-offline').waitFor();
        await page.locator('.live-offline').waitFor();
        await picture(page, 'offline');
        await stage.startServer();
        const id = await stage.submit({ name: 'greet', args: { name: 'again' } });
        await page.locator('.live-live').waitFor();
        await page.locator(`code[title="${id}"]`).waitFor();
        await settled(page);
    },

    async 'A log is followed while it grows'({ open, stage }) {
        const id = await stage.submit({ name: 'slow' });
        const page = await open();
        await go(page, `/tasks/${id}`);
        await page.getByRole('log').getByText('part 1', { exact: true }).waitFor();
        await page.getByRole('log').getByText('part 3', { exact: true }).waitFor();
        await stage.post(`/tasks/${id}/cancel`);
        await page.locator('h1 .state', { hasText: 'CANCELLED' }).waitFor();
    },
};

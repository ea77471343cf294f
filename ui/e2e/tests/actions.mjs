import { expect, go, order, settled, toast } from '../browser.mjs';
import { sceneryOf } from './pages.mjs';

async function badge(page, state) {
    await page.locator('h1 .state', { hasText: state }).waitFor();
}

export const actionTests = {
    async 'A running task is cancelled, and retried'({ open, stage }) {
        const id = await stage.submit({ name: 'slow' });
        await stage.taskIn(id, 'RUNNING');
        const page = await open();
        await go(page, `/tasks/${id}`);
        await page.getByRole('progressbar').waitFor();
        await order(page, 'Cancel', 'Cancel the task', 'not needed');
        await badge(page, 'CANCELLED');
        await page.getByText('not needed').first().waitFor();
        await order(page, 'Retry', 'Retry');
        await page.getByRole('link', { name: 'Show it' }).click();
        await page.waitForURL((url) => url.pathname.startsWith('/tasks/') && !url.pathname.endsWith(id));
        await settled(page);
        await order(page, 'Cancel', 'Cancel the task');
        await badge(page, 'CANCELLED');
    },

    async 'A task is ended by force'({ open, stage }) {
        const id = await stage.submit({ name: 'slow' });
        await stage.taskIn(id, 'RUNNING');
        const page = await open();
        await go(page, `/tasks/${id}`);
        await order(page, 'Force…', 'End it by force', 'it hangs');
        await badge(page, 'FAILED');
        await page.getByText('it hangs').first().waitFor();
    },

    async 'A job is started with a form, and errors are shown at their fields'({ open }) {
        const page = await open({ allow: [/422/] });
        await go(page, '/catalog');
        await page.getByRole('link', { name: 'Run release' }).click();
        await settled(page);
        await page.getByRole('button', { name: 'Start the job' }).click();
        await page.locator('.field', { hasText: 'day' }).getByText('This is required').waitFor();
        await page.getByLabel(/^day/).fill('today');
        await page.getByLabel(/^copies/).fill('many');
        await page.getByRole('button', { name: 'Start the job' }).click();
        await page.locator('.field', { hasText: 'copies' }).getByText('A whole number').waitFor();
        await page.getByLabel(/^copies/).fill('3');
        await page.getByRole('button', { name: 'Start the job' }).click();
        await page.waitForURL(/\/jobs\//);
        await badge(page, /PENDING|RUNNING/);
    },

    async 'A job is approved, and its child opened'({ open, stage }) {
        const { job } = await sceneryOf(stage);
        const page = await open();
        await go(page, `/jobs/${job}`);
        await order(page, 'Approve', 'Approve', 'looks good');
        await badge(page, 'COMPLETED');
        await page.locator('.react-flow__node', { hasText: 'report' }).click();
        await page.getByRole('complementary', { name: 'Step report' }).getByRole('link', { name: /^open/ }).click();
        await page.locator('h1', { hasText: 'report' }).waitFor();
    },

    async 'A job is rejected, paused, resumed, cancelled and retried'({ open, stage }) {
        const start = async () => (await stage.post('/jobs', { workflow: 'release', input: { day: 'x' } })).id;
        const [rejected, steered] = [await start(), await start()];
        const page = await open();
        await go(page, `/jobs/${rejected}`);
        await order(page, 'Reject', 'Reject', 'not today');
        await badge(page, 'FAILED');
        const built = (await stage.get(`/jobs/${rejected}`)).steps.find((step) => step.task).task;
        await go(page, `/tasks/${built}`);
        await page.getByRole('link', { name: 'Retry its job' }).click();
        await page.waitForURL(`**/jobs/${rejected}`);
        await order(page, 'Retry', 'Retry');
        await toast(page, 'A new job runs');
        await go(page, `/jobs/${steered}`);
        await order(page, 'Pause', 'Pause the job');
        await badge(page, 'PAUSED');
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await badge(page, /PENDING|RUNNING/);
        await order(page, 'Cancel', 'Cancel the job', 'enough');
        await badge(page, 'CANCELLED');
    },

    async 'A task of the catalog is submitted with a form'({ open }) {
        const page = await open();
        await go(page, '/catalog/tasks/greet');
        await page.getByLabel(/^name/).fill('Bob');
        await page.getByRole('button', { name: 'Submit the task' }).click();
        await badge(page, 'COMPLETED');
        await page.getByText('"Hello, Bob"').first().waitFor();
    },

    async 'A queue is paused and resumed'({ open, stage }) {
        const page = await open();
        await stage.submit({ name: 'no-worker-has-this', queue: 'pictures' });
        await go(page, '/queues');
        const row = page.locator('tr', { hasText: 'pictures' });
        await row.getByRole('button', { name: 'Pause' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await row.getByText('paused').waitFor();
        await row.getByRole('button', { name: 'Resume' }).click();
        await row.getByText('open').waitFor();
    },

    async 'A schedule is paused, resumed, run now and removed'({ open }) {
        const page = await open();
        await go(page, '/schedules');
        await order(page, 'Pause', 'Pause');
        await page.getByRole('heading', { name: 'nightly paused' }).waitFor();
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
        await order(page, 'Run now', 'Run now');
        await page.getByRole('link', { name: 'Show it' }).click();
        await page.waitForURL(/\/jobs\//);
        await badge(page, 'COMPLETED');
        await go(page, '/schedules');
        await order(page, 'Remove', 'Remove it');
        await page.getByRole('heading', { name: 'nightly' }).waitFor({ state: 'detached' });
    },

    async 'A worker is cordoned, uncordoned, drained and removed'({ open, stage }) {
        await stage.startWorker('web-3', '--queue', 'far');
        const page = await open();
        await go(page, '/workers');
        await page.getByRole('link', { name: 'web-3' }).click();
        await page.waitForURL(/\/workers\//);
        await settled(page);
        await order(page, 'Cordon', 'Cordon');
        await badge(page, 'cordoned');
        await page.getByRole('button', { name: 'Uncordon' }).click();
        await badge(page, 'fresh');
        await order(page, 'Drain', 'Drain it');
        await badge(page, 'inactive');
        await order(page, 'Remove', 'Remove');
        await toast(page, 'removed');
    },

    async 'Recovery is done by hand'({ open }) {
        const page = await open();
        await go(page, '/recovery');
        await order(page, 'Sweep now', 'Sweep now');
        await toast(page, 'Swept');
        await order(page, 'Requeue claimed', 'Requeue claimed');
        await toast(page, 'returned to PENDING');
        await order(page, 'Fail running', 'End them');
        await toast(page, 'ended as crashed');
    },

    async 'An order that is refused says why'({ open, stage }) {
        const id = await stage.submit({ name: 'slow' });
        const page = await open({ allow: [/503/] });
        await go(page, `/tasks/${id}`);
        await page.route('**/cancel', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Busy', status: 503, code: 'OVERLOADED', detail: 'Too much waits; try again in a second.' }) }));
        await page.getByRole('button', { name: 'Cancel', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
        await page.getByRole('dialog').getByText('try again in a second').waitFor();
        expect((await page.getByRole('dialog').count()) === 1, 'the dialog stays, to try again');
    },
};

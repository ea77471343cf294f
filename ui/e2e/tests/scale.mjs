import { expect, go, picture, settled } from '../browser.mjs';

/** Five hundred steps: a fan of 200, a chain of 50, and 249 pairs that depend on two others. */
function bigWorkflow() {
    const lines = ['name: big', 'steps:', '  begin: { wait: 1ms }'];
    for (let i = 0; i < 200; i++) lines.push(`  fan-${i}: { wait: 1ms, depends_on: begin }`);
    for (let i = 0; i < 50; i++) lines.push(`  chain-${i}: { wait: 1ms, depends_on: ${i ? `chain-${i - 1}` : 'begin'} }`);
    for (let i = 0; i < 249; i++) lines.push(`  pair-${i}: { wait: 1h, depends_on: [fan-${i % 200}, chain-${i % 50}] }`);
    return lines.join('\n');
}

export const scaleTests = {
    async 'Ten thousand tasks are scrolled through without trouble'({ open, stage }) {
        await stage.post('/queues/bulk/pause');
        for (let batch = 0; batch < 10; batch++) await stage.post('/tasks', { tasks: Array.from({ length: 1000 }, (_, index) => ({ name: `bulk-${index % 7}`, queue: 'bulk', args: { batch, index } })) });
        const page = await open();
        await go(page, '/tasks?queue=bulk');
        for (let i = 0; i < 12; i++) {
            await page.mouse.move(700, 500);
            await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
            await page.waitForFunction((count) => Number(document.querySelector('.feed-end .faint').textContent.replace(/\D/g, '')) > count, 100 * (i + 1));
        }
        const rows = await page.locator('.feed-table tbody tr:not(.spacer)').count();
        expect(rows < 120, `only what is seen is drawn, not ${rows} rows`);
        await page.evaluate(() => window.scrollTo(0, 3000));
        await page.waitForFunction(() => document.querySelectorAll('.feed-table tbody tr:not(.spacer)').length > 10);
        await picture(page, 'ten-thousand-tasks');
    },

    async 'A job of five hundred steps is readable'({ open, stage }) {
        const { id } = await stage.post('/jobs', { yaml: bigWorkflow() });
        const page = await open();
        await go(page, `/jobs/${id}`);
        await page.getByText('500 steps, drawn as 4 nodes').waitFor();
        await picture(page, 'five-hundred-steps');
        await page.locator('.react-flow__node', { hasText: 'pair-*' }).click();
        const members = page.getByRole('complementary', { name: 'Steps pair-*' });
        await members.getByText('189 more steps').waitFor();
        await picture(page, 'five-hundred-steps-group');
        await members.getByRole('button', { name: /^pair-17 / }).click();
        await page.getByRole('complementary', { name: 'Step pair-17' }).getByRole('button', { name: 'fan-17' }).waitFor();
        await page.getByRole('button', { name: 'Close the step' }).click();

        // The layout of all single steps runs in a web worker; the page stays responsive.
        await page.getByRole('button', { name: 'Group similar steps' }).click();
        await page.getByText('Laying out 500 nodes').waitFor();
        await page.getByRole('tab', { name: 'Timeline' }).click();
        await page.locator('.gantt-row').nth(400).waitFor({ state: 'attached' });
        await settled(page);
        await picture(page, 'five-hundred-steps-timeline');
    },

    async 'Five hundred steps can be drawn individually'({ open, stage }) {
        const { id } = await stage.post('/jobs', { yaml: bigWorkflow() });
        const page = await open();
        await go(page, `/jobs/${id}`);
        await page.getByRole('button', { name: 'Group similar steps' }).click();
        await page.getByText('Laying out 500 nodes').waitFor();
        await settled(page);
        // The view opens at the beginning of the job and draws only what is visible.
        await page.locator('.react-flow__node', { hasText: 'begin' }).waitFor();
        const drawn = await page.locator('.react-flow__node').count();
        expect(drawn < 100, `only what is seen is drawn, not ${drawn} nodes`);
        await picture(page, 'five-hundred-steps-each');
        await page.getByRole('button', { name: 'Fit', exact: true }).click();
        await page.waitForFunction(() => document.querySelectorAll('.react-flow__node').length === 500);
        await picture(page, 'five-hundred-steps-fitted');
    },
};

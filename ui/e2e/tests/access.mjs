import { expect, go, picture, settled, toast } from '../browser.mjs';
import { config } from '../config.mjs';
import { Stage, until } from '../stage.mjs';

export const accessTests = {
    async 'Access needs a token, and a scope limits it'({ open, program }) {
        const guarded = new Stage(program, config);
        try {
            await guarded.open();
            guarded.token = (await guarded.post('/tokens', { name: 'boss', scope: 'admin' })).token;
            await until('the server wants a token', async () => (await fetch(`${guarded.url}/api/session`)).status === 401);
            const reader = (await guarded.post('/tokens', { name: 'reader', scope: 'read' })).token;
            const task = await guarded.submit({ name: 'greet', args: { name: 'Ada' } });

            const page = await open({ url: guarded.url, allow: [/401/, /403/] });
            await page.goto(`${guarded.url}/tasks/${task}`);
            await page.getByLabel('Token', { exact: true }).fill('hf_wrong');
            await page.getByRole('button', { name: 'Log in' }).click();
            await page.locator('.field-error').waitFor();
            await picture(page, 'login');
            await page.getByLabel('Token', { exact: true }).fill(reader);
            await page.getByRole('button', { name: 'Log in' }).click();
            await settled(page);
            await page.locator('h1', { hasText: 'greet' }).waitFor();
            expect(await page.getByRole('button', { name: 'Cancel', exact: true }).isDisabled(), 'a reader cannot cancel');
            const cookies = await page.context().cookies();
            expect(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === 'Strict', 'the cookie is out of reach of scripts');
            await go(page, '/access');
            await page.getByText('Managing tokens needs the scope admin, for all queues').waitFor();
            await page.getByRole('button', { name: 'Log out' }).click();
            await page.getByLabel('Token', { exact: true }).waitFor();

            const boss = await open({ url: guarded.url, allow: [/401/] });
            await boss.goto(`${guarded.url}/access`);
            await boss.getByLabel('Token', { exact: true }).fill(guarded.token);
            await boss.getByRole('button', { name: 'Log in' }).click();
            await settled(boss);
            await boss.getByRole('button', { name: 'New token' }).click();
            const dialog = boss.getByRole('dialog');
            await dialog.getByLabel('Name', { exact: true }).fill('ci');
            await dialog.getByText('submit', { exact: true }).click();
            await dialog.getByRole('button', { name: 'Create token' }).click();
            await dialog.getByText(/hf_/).waitFor();
            await dialog.getByRole('button', { name: 'I have copied it' }).click();
            const sessions = boss.locator('section, .card', { hasText: 'Logged in at the page' }).last();
            await sessions.locator('tr', { hasText: 'this page' }).waitFor();
            const visitor = await open({ url: guarded.url, allow: [/401/, /403/] });
            await visitor.goto(`${guarded.url}/tasks`);
            await visitor.getByLabel('Token', { exact: true }).fill(reader);
            await visitor.getByRole('button', { name: 'Log in' }).click();
            await settled(visitor);
            const theirs = sessions.locator('tr', { hasText: 'reader' });
            await theirs.getByRole('button', { name: 'Log out' }).click();
            await boss.getByRole('dialog').getByRole('button', { name: 'Log it out' }).click();
            await toast(boss, 'is ended');
            await theirs.waitFor({ state: 'detached' });
            await visitor.reload();
            await visitor.getByLabel('Token', { exact: true }).waitFor();
            const row = boss.locator('tr', { hasText: 'reader' });
            await row.getByRole('button', { name: 'Revoke' }).click();
            await boss.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click();
            await toast(boss, 'revoked');
            await row.getByText('revoked').waitFor();

            await guarded.post('/queues/mail/pause');
            await go(boss, '/audit');
            const paused = boss.locator('tr', { hasText: 'queue mail paused' });
            await paused.getByText('boss').waitFor();
            await paused.getByText('{"paused":true}').waitFor();
            await boss.locator('tr', { hasText: 'token reader revoked' }).getByText(/\(page\)/).waitFor();
            await picture(boss, 'audit');
            await boss.getByLabel('Queue', { exact: true }).fill('mail');
            await boss.locator('tr', { hasText: 'token reader revoked' }).waitFor({ state: 'detached' });
            await paused.waitFor();
            await boss.getByLabel('Who or from where').fill('nobody');
            await boss.getByText('No such order was given').waitFor();
            await boss.getByRole('button', { name: 'Clear' }).click();
            await paused.waitFor();
            // Close the pages before their server ends: a request at that moment would fail.
            await Promise.all([page.close(), boss.close(), visitor.close()]);
        } finally {
            await guarded.close();
        }
    },
};

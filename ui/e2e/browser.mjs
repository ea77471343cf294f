// Runs Debian's Chromium, checks pages, and takes screenshots.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const pictures = join(here, 'output');
export const patience = Number(process.env.HOLDFAST_E2E_PATIENCE ?? 120_000);

export const wide = { width: 1360, height: 860 };
export const narrow = { width: 390, height: 844 };

export async function launch() {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}: run scripts/install-deps, or set CHROMIUM=PATH`);
    return chromium.launch({ executablePath, args: ['--disable-gpu', '--disable-dev-shm-usage', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])] });
}

/** A page whose console errors fail the test that opened it. */
export async function openPage(browser, url, { theme = 'light', viewport = wide, allow = [] } = {}) {
    const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: 'reduce', bypassCSP: false });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    page.complaints = [];
    const complain = (text) => !allow.some((pattern) => pattern.test(text)) && page.complaints.push(text);
    page.on('pageerror', (error) => complain(`error: ${error.message}`));
    page.on('console', (message) => message.type() === 'error' && complain(`console: ${message.text()}`));
    page.on('request', (request) => !request.url().startsWith(url) && !request.url().startsWith('data:') && complain(`request to ${request.url()}`));
    page.base = url;
    return page;
}

export async function go(page, path) {
    await page.goto(page.base + path);
    await settled(page);
}

/** Waits until everything is loaded: no skeleton, no placeholder of a plot or a graph. */
export async function settled(page) {
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('.skeleton, .skeleton-line, .plot-place, .graph-place'));
}

export async function picture(page, name) {
    await page.screenshot({ path: join(pictures, `${name}.png`), timeout: patience });
}

const standards = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] };

/** Runs axe on the visible page. The debugger injects the script, so that the page's content security policy stays on. */
export async function accessibility(page, rules) {
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
    const runOnly = rules ? { type: 'rule', values: rules } : standards;
    const { violations } = await page.evaluate((only) => window.axe.run(document, { runOnly: only, resultTypes: ['violations'] }), runOnly);
    return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length}): ${nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`);
}

export function expect(condition, what) {
    if (!condition) throw new Error(`expected: ${what}`);
}

export async function toast(page, text) {
    await page.locator('.toast', { hasText: text }).first().waitFor();
}

/** Presses the button, and then the button in the confirmation dialog. */
export async function order(page, label, confirm, reason) {
    await page.getByRole('button', { name: label, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    if (reason) await dialog.getByRole('textbox').fill(reason);
    await dialog.getByRole('button', { name: confirm, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
}

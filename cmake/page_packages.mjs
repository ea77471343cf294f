// Installs the packages of the page. If the installed packages match the lock file, it does nothing and needs no network.
//   node page_packages.mjs UI NPM STAMP
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [ui, npm, stamp] = process.argv.slice(2);
const installed = join(ui, 'node_modules', '.package-lock.json');
const lock = join(ui, 'package-lock.json');
// npm writes the first file after it has installed the packages of the second.
const isUpToDate = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
if (!isUpToDate) {
    const run = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: ui, stdio: 'inherit' });
    if (run.status !== 0) process.exit(run.status ?? 1);
}
writeFileSync(stamp, '');

// A server with its store and workers, in its own folder and on its own port. It ends every process that it starts, by its id.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync, rmSync, openSync, closeSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const everything = new Set();

export async function until(what, check, limit = 60_000) {
    const end = Date.now() + limit;
    for (;;) {
        const value = await check();
        if (value) return value;
        if (Date.now() > end) throw new Error(`not within ${limit / 1000} s: ${what}`);
        await pause(100);
    }
}

function freePort() {
    return new Promise((done) => {
        const probe = createServer();
        probe.listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => done(port));
        });
    });
}

export class Stage {
    constructor(program, config) {
        this.program = program;
        this.folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
        this.workers = new Map();
        this.token = null;
        writeFileSync(join(this.folder, 'holdfast.yaml'), config);
        everything.add(this);
    }

    async open() {
        this.port = await freePort();
        this.url = `http://127.0.0.1:${this.port}`;
        await this.startServer();
    }

    start(name, ...words) {
        const log = openSync(join(this.folder, `${name}.log`), 'a');
        const child = spawn(this.program, words, { cwd: this.folder, env: this.environment(), stdio: ['ignore', log, log] });
        closeSync(log);
        child.ended = new Promise((done) => child.on('exit', done));
        return child;
    }

    environment() {
        return { ...process.env, HOLDFAST_STORE: `sqlite:${join(this.folder, 'holdfast.db')}`, HOLDFAST_CONFIG: join(this.folder, 'holdfast.yaml'), PATH: `${join(this.program, '..')}:${process.env.PATH}` };
    }

    async startServer() {
        this.server = this.start('server', 'server', '--port', String(this.port));
        await until('the server answers', async () => {
            if (this.server.exitCode !== null) throw new Error(`the server has ended:\n${this.logOf('server')}`);
            return fetch(`${this.url}/healthz`).then((answer) => answer.ok, () => false);
        });
    }

    async stopServer() {
        this.server.kill('SIGTERM');
        await this.server.ended;
    }

    async startWorker(name, ...words) {
        this.workers.set(name, this.start(name, 'worker', '--name', name, ...words));
        await until(`worker ${name} is there`, async () => (await this.get('/workers')).items.some((worker) => worker.name === name && worker.fresh));
    }

    async killWorker(name) {
        const worker = this.workers.get(name);
        worker.kill('SIGKILL');
        await worker.ended;
    }

    async call(method, path, body, token = this.token) {
        const answer = await fetch(`${this.url}/api${path}`, {
            method,
            headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const value = await answer.json();
        if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
        return value;
    }
    get(path) {
        return this.call('GET', path);
    }
    post(path, body = {}) {
        return this.call('POST', path, body);
    }
    async submit(task) {
        return (await this.post('/tasks', task)).id;
    }
    taskIn(id, ...states) {
        return until(`task ${id} is ${states}`, async () => states.includes((await this.get(`/tasks/${id}`)).task.state));
    }
    jobIn(id, ...states) {
        return until(`job ${id} is ${states}`, async () => states.includes((await this.get(`/jobs/${id}`)).job.state));
    }

    logOf(name) {
        return readFileSync(join(this.folder, `${name}.log`), 'utf8').slice(-4000);
    }

    async close() {
        everything.delete(this);
        const children = [this.server, ...this.workers.values()].filter((child) => child && child.exitCode === null && child.signalCode === null);
        for (const child of children) child.kill('SIGTERM');
        await Promise.race([Promise.all(children.map((child) => child.ended)), pause(5000)]);
        for (const child of children) child.kill('SIGKILL');
        await Promise.all(children.map((child) => child.ended));
        rmSync(this.folder, { recursive: true, force: true });
    }

    /** At once, for a program that is being ended. */
    static killAll() {
        for (const stage of everything) for (const child of [stage.server, ...stage.workers.values()]) child?.kill('SIGKILL');
    }
}

// Measures another queue in the way that `holdfast bench` measures Holdfast, and prints one object of figures.
//   node measure.mjs PEER drain   tasks=N [processes=N] [SETTING=VALUE...]     a whole worker, or several
//   node measure.mjs PEER submit  seconds=N [clients=N] [as=threads|processes] [batch=N]
//   node measure.mjs PEER latency rate=N seconds=N [SETTING=VALUE...]
//   node measure.mjs PEER chain   steps=N
// PEER is PEER.mjs or PEER/peer.mjs beside this file, which exports
//   produce() -> {add(job), addMany(jobs), unfinished(), chain(steps), close()}    work(settings, onJob)
// as far as its measures need them, and runs jobs such as {} or {sent: MS}. Settings that no measure knows go to work(). `as=threads` is one process
// with so many calls in progress: Node has no threads that could share a client.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const monotonic = () => Number(process.hrtime.bigint()) / 1e6; // milliseconds; the same clock in every process
const percentile = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))];
const load = async name => {
  const file = [`./${name}.mjs`, `./${name}/peer.mjs`].find(path => existsSync(new URL(path, import.meta.url)));
  return (await import(file)).default;
};

// ---- The processes of a measure -----------------------------------------------------------------------------------

class Child {
  #waiting = [];
  #inbox = [];
  constructor(peer, role, settings) {
    this.process = fork(import.meta.filename, ['child', peer, role, JSON.stringify(settings)]);
    this.process.on('message', message => this.#waiting.length ? this.#waiting.shift().resolve(message) : this.#inbox.push(message));
    this.ended = new Promise(done => this.process.once('exit', done));
    this.ended.then(code => this.#waiting.forEach(({ reject }) => reject(new Error(`a ${role} of ${peer} ended with ${code}`))));
  }
  next() {
    return this.#inbox.length ? this.#inbox.shift() : new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
  send(message) { this.process.send(message); }
  async end() { this.process.kill('SIGKILL'); await this.ended; }
}

async function withChildren(count, peer, role, settings, body) {
  const children = Array.from({ length: count }, () => new Child(peer, role, settings));
  try {
    for (const child of children) await child.next(); // 'ready'
    for (const child of children) child.send('go');
    return await body(children);
  } finally {
    for (const child of children) await child.end();
  }
}

async function until(holds, pause = 2) {
  while (!await holds()) await sleep(pause);
}

// ---- Measures -----------------------------------------------------------------------------------------------------

async function addBacklog(queue, tasks) {
  for (let left = tasks; left > 0; left -= 1000) await queue.addMany(Array.from({ length: Math.min(left, 1000) }, () => ({})));
}

// From the start of the first job until the queue has noted the end of every job.
async function drain(peer, { tasks, processes = 1, ...settings }) {
  const queue = await (await load(peer)).produce();
  await addBacklog(queue, tasks);
  return withChildren(processes, peer, 'worker', settings, async children => {
    let done = 0, began = Infinity;
    await new Promise((allStarted, fail) => {
      const follow = async child => {
        while (done < tasks) {
          const report = await child.next();
          if (report === 'working') continue;
          done += report.started;
          began = Math.min(began, report.first);
        }
        allStarted();
      };
      for (const child of children) follow(child).catch(fail);
    });
    await until(async () => await queue.unfinished() === 0);
    const seconds = (monotonic() - began) / 1000;
    return { tasks, processes, tasks_per_second: tasks / seconds };
  });
}

async function submit(peer, { seconds, clients = 1, as = 'threads', batch = 1 }) {
  await (await (await load(peer)).produce()).close(); // the schema, before any of them measures
  const processes = as === 'processes' ? clients : 1;
  const rates = await withChildren(processes, peer, 'submitter', { seconds, batch, calls: clients / processes },
    children => Promise.all(children.map(child => child.next())));
  return { clients, as, batch, tasks_per_second: rates.reduce((sum, rate) => sum + rate) };
}

async function latency(peer, { rate, seconds, ...settings }) {
  const queue = await (await load(peer)).produce();
  return withChildren(1, peer, 'worker', settings, async ([worker]) => {
    const latencies = [], collect = async count => { while (latencies.length < count) latencies.push(...(await worker.next()).latencies); };
    await worker.next(); // 'working'
    await queue.add({ sent: monotonic() }); // it has begun to listen when this one runs
    await collect(1);
    const count = Math.round(rate * seconds), began = monotonic(), calls = [];
    while (calls.length < count) {
      await sleep(Math.max(0, began + calls.length * 1000 / rate - monotonic()));
      calls.push(queue.add({ sent: monotonic() }));
    }
    const span = monotonic() - began;
    await Promise.all(calls);
    await collect(count + 1);
    const sorted = latencies.slice(1).sort((a, b) => a - b);
    return { rate, rate_reached: (count - 1) / span * 1000, latency_p50_ms: percentile(sorted, 0.5), latency_p99_ms: percentile(sorted, 0.99) };
  });
}

async function chain(peer, { steps, ...settings }) {
  const queue = await (await load(peer)).produce();
  return withChildren(1, peer, 'worker', settings, async ([worker]) => {
    await worker.next(); // 'working'
    const began = monotonic();
    await queue.chain(steps);
    return { steps, step_ms: (monotonic() - began) / steps };
  });
}

// ---- What the processes do ----------------------------------------------------------------------------------------

const children = {
  // Reports what started every 2 ms, not each job: reporting must not cost more than the job.
  async worker(peer, settings) {
    let news = null;
    const onJob = ({ sent }) => {
      const now = monotonic();
      news ??= { first: now, started: 0, latencies: [] };
      news.started++;
      if (sent) news.latencies.push(now - sent);
    };
    setInterval(() => { if (news) { process.send(news); news = null; } }, 2);
    await (await load(peer)).work(settings, onJob);
    process.send('working');
  },
  async submitter(peer, { seconds, batch, calls }, queue) {
    const began = monotonic(), jobs = Array.from({ length: batch }, () => ({}));
    let submitted = 0;
    const elapsed = () => (monotonic() - began) / 1000;
    await Promise.all(Array.from({ length: calls }, async () => {
      do {
        await (batch === 1 ? queue.add({}) : queue.addMany(jobs));
        submitted += batch;
      } while (elapsed() < seconds);
    }));
    process.send(submitted / elapsed());
  },
};

async function beChild(peer, role, settings) {
  const queue = role === 'submitter' ? await (await load(peer)).produce() : null;
  process.once('disconnect', () => process.exit()); // with its parent
  process.once('message', () => children[role](peer, settings, queue));
  process.send('ready');
}

const value = text => text === 'true' ? true : Number.isNaN(Number(text)) ? text : Number(text);
const [peer, measure, ...words] = process.argv.slice(2);
if (peer === 'child') {
  await beChild(measure, words[0], JSON.parse(words[1]));
} else {
  const settings = Object.fromEntries(words.map(word => word.split('=')).map(([key, text]) => [key, value(text)]));
  console.log(JSON.stringify(await { drain, submit, latency, chain }[measure](peer, settings)));
  process.exit(0);
}

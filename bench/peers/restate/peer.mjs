// Restate: its server keeps invocations and steps in a log of its own, at RESTATE_INGRESS and RESTATE_ADMIN (ports). A
// job is a one-way call, a step of a chain a durable ctx.run().
import http from 'node:http';
import * as restate from '@restatedev/restate-sdk';

const { RESTATE_INGRESS: ingress, RESTATE_ADMIN: admin } = process.env;
const agent = new http.Agent({ keepAlive: true });

function call(method, port, path, body) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {};
    http.request({ host: '127.0.0.1', port, path, method, agent, headers }, async answer => {
      let said = '';
      for await (const part of answer) said += part;
      if (answer.statusCode < 300) resolve(said);
      else reject(Object.assign(new Error(`${method} ${path}: ${answer.statusCode} ${said}`), { status: answer.statusCode }));
    }).on('error', reject).end(text);
  });
}

// Serves the jobs in this process, in place of any other.
async function deploy(onJob) {
  const service = restate.service({ name: 'noop', handlers: {
    run: async (_, job) => onJob(job),
    chain: async (context, steps) => { for (let i = 0; i < steps; i++) await context.run(`s${i}`, () => i); },
  } });
  const port = await restate.serve({ services: [service], port: 0 });
  await call('POST', admin, '/deployments', { uri: `http://127.0.0.1:${port}`, force: true });
}

const isDeployed = () => call('GET', admin, '/services/noop').then(() => true, error => { if (error.status === 404) return false; throw error; });

export default {
  async produce() {
    if (!await isDeployed()) await deploy(() => {}); // until the process ends, or a worker takes its place
    return {
      add: job => call('POST', ingress, '/noop/run/send', job),
      chain: steps => call('POST', ingress, '/noop/chain', steps),
      close: async () => {},
    };
  },
  work: (_, onJob) => deploy(onJob),
};

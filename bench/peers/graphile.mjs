// graphile-worker: PostgreSQL, woken by NOTIFY. It deletes finished jobs. With `localQueue` it fetches so many jobs at
// once and completes them in batches.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

const logger = new Logger(() => () => {});
const report = error => console.error(error.message);
const makePool = () => new pg.Pool({ max: 12 }) // by PGHOST, PGPORT, PGUSER, PGDATABASE
  .on('error', report).on('connect', client => client.on('error', report));

export default {
  async produce() {
    const pgPool = makePool(), utils = await makeWorkerUtils({ pgPool, logger });
    await utils.migrate();
    return {
      add: job => utils.addJob('noop', job),
      addMany: jobs => utils.addJobs(jobs.map(payload => ({ identifier: 'noop', payload }))),
      unfinished: async () => Number((await pgPool.query('SELECT count(*) FROM graphile_worker._private_jobs')).rows[0].count),
      close: async () => { await utils.release(); await pgPool.end(); },
    };
  },
  work({ jobs = 1, localQueue }, onJob) {
    const batched = localQueue ? { localQueue: { size: localQueue }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {};
    return run({ pgPool: makePool(), noHandleSignals: true, taskList: { noop: async job => onJob(job) },
      preset: { worker: { concurrentJobs: jobs, logger, ...batched } } });
  },
};

// BullMQ on Redis at REDIS_PORT. Finished jobs are removed.
import { Queue, Worker } from 'bullmq';

const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT) };
const defaultJobOptions = { removeOnComplete: true, removeOnFail: true };

export default {
  async produce() {
    const queue = new Queue('noop', { connection, defaultJobOptions });
    await queue.waitUntilReady();
    return {
      add: job => queue.add('noop', job),
      addMany: jobs => queue.addBulk(jobs.map(data => ({ name: 'noop', data }))),
      unfinished: async () => Object.values(await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized')).reduce((a, b) => a + b),
      close: () => queue.close(),
    };
  },
  work: (settings, onJob) => new Worker('noop', async job => onJob(job.data), { connection, ...settings }),
};

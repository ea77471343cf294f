// pg-boss: PostgreSQL, woken by NOTIFY, jobs fetched and completed in batches. It keeps finished jobs.
import { PgBoss } from 'pg-boss';
import pg from 'pg';

const { PGHOST: host, PGPORT, PGUSER: user, PGDATABASE: database } = process.env;
const start = () => new PgBoss({ host, port: Number(PGPORT), user, database, max: 12, useListenNotify: true })
  .on('error', error => console.error(error.message)).start();

export default {
  async produce() {
    const boss = await start(), pool = new pg.Pool();
    if (!await boss.getQueue('noop')) await boss.createQueue('noop', { notify: true });
    return {
      add: job => boss.send('noop', job),
      addMany: jobs => boss.insert('noop', jobs.map(data => ({ data }))),
      unfinished: async () =>
        Number((await pool.query(`SELECT count(*) FROM pgboss.job WHERE name = 'noop' AND state < 'completed'`)).rows[0].count),
      close: async () => { await boss.stop({ graceful: false }); await pool.end(); },
    };
  },
  async work(settings, onJob) {
    await (await start()).work('noop', settings, async jobs => { for (const job of jobs) onJob(job.data ?? {}); });
  },
};

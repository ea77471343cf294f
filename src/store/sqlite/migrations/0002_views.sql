-- For people: ids and times as text, states as words. Programs do not read these.

CREATE VIEW tasks AS
SELECT lower(substr(hex(t.id), 1, 8) || '-' || substr(hex(t.id), 9, 4) || '-' || substr(hex(t.id), 13, 4) || '-'
             || substr(hex(t.id), 17, 4) || '-' || substr(hex(t.id), 21)) AS id,
       t.name,
       CASE WHEN e.task_id IS NOT NULL THEN e.state WHEN l.task_id IS NULL THEN 'PENDING'
            WHEN l.started_at IS NULL THEN 'CLAIMED' ELSE 'RUNNING' END AS state,
       w.why AS waits_for,
       r.queue,
       r.tags,
       t.priority,
       t.args,
       t.spec,
       t.policy,
       t.concurrency_key,
       t.concurrency_limit,
       t.idempotency_key,
       coalesce(e.attempts, l.attempts, y.attempts, w.attempts) AS attempts,
       coalesce(e.crashes, l.crashes, y.crashes, w.crashes) AS crashes,
       coalesce(e.requeues, l.requeues, y.requeues, w.requeues) AS requeues,
       coalesce(e.lease, l.lease) AS lease,
       lower(hex(coalesce(e.worker_id, l.worker_id))) AS worker_id,
       l.stop_requested,
       strftime('%Y-%m-%d %H:%M:%f', t.created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', coalesce(e.run_at, l.run_at, y.run_at, w.run_at) / 1e6, 'unixepoch') AS run_at,
       strftime('%Y-%m-%d %H:%M:%f', t.deadline / 1e6, 'unixepoch') AS deadline,
       strftime('%Y-%m-%d %H:%M:%f', coalesce(e.claimed_at, l.claimed_at) / 1e6, 'unixepoch') AS claimed_at,
       strftime('%Y-%m-%d %H:%M:%f', coalesce(e.started_at, l.started_at) / 1e6, 'unixepoch') AS started_at,
       strftime('%Y-%m-%d %H:%M:%f', e.finished_at / 1e6, 'unixepoch') AS finished_at,
       e.result,
       e.error_code,
       e.error_message,
       e.error_data
  FROM task t
  JOIN route r ON r.id = t.route_id
  LEFT JOIN ending e ON e.task_id = t.id
  LEFT JOIN lease l ON l.task_id = t.id
  LEFT JOIN ready y ON y.task_id = t.id
  LEFT JOIN waiting w ON w.task_id = t.id;

CREATE VIEW attempts AS
SELECT lower(hex(task_id)) AS task_id, attempt, lease, lower(hex(worker_id)) AS worker_id, run_end,
       strftime('%Y-%m-%d %H:%M:%f', claimed_at / 1e6, 'unixepoch') AS claimed_at,
       strftime('%Y-%m-%d %H:%M:%f', started_at / 1e6, 'unixepoch') AS started_at,
       strftime('%Y-%m-%d %H:%M:%f', finished_at / 1e6, 'unixepoch') AS finished_at,
       error_code, error_message, error_data
  FROM (SELECT task_id, attempt, lease, worker_id, run_end, claimed_at, started_at, finished_at, error_code, error_message,
               error_data FROM attempt
        UNION ALL
        SELECT task_id, attempt, lease, worker_id, run_end, claimed_at, started_at, finished_at, error_code, error_message,
               error_data FROM ending WHERE started_at IS NOT NULL);

-- One row for every lease that a beat listed, claimer or runner.
CREATE VIEW heartbeats AS
SELECT b.id * 100000 + h.key AS id,
       json_extract(h.value, '$.task') AS task_id,
       lower(hex(b.worker_id)) AS sender_id,
       CASE WHEN json_extract(h.value, '$.running') THEN 'runner' ELSE 'claimer' END AS role,
       strftime('%Y-%m-%d %H:%M:%f', b.sent_at / 1e6, 'unixepoch') AS sent_at,
       b.hostname,
       CASE WHEN json_extract(h.value, '$.pid') > 0 THEN json_extract(h.value, '$.pid') ELSE b.pid END AS pid
  FROM beat_history b, json_each(b.held) h;

-- Fresh: its last beat is not older than three of its intervals. Never beaten: stale.
CREATE VIEW workers AS
SELECT id, name, status, cordoned, hostname, pid, version, queues, tags, capacity,
       strftime('%Y-%m-%d %H:%M:%f', last_heartbeat / 1e6, 'unixepoch') AS last_heartbeat,
       seconds_ago,
       CASE WHEN fresh THEN 'fresh' ELSE 'stale' END AS freshness,
       status = 'active' AND NOT cordoned AND NOT drain_requested AND fresh AS schedulable
  FROM (SELECT lower(hex(id)) AS id, name, status, cordoned, drain_requested, hostname, pid, version, queues, tags, capacity,
               last_heartbeat, round(age, 3) AS seconds_ago,
               coalesce(age < 3 * beat_interval_us / 1e6, 0) AS fresh
          FROM (SELECT *, (julianday('now') - 2440587.5) * 86400.0 - last_heartbeat / 1e6 AS age FROM worker));

CREATE VIEW jobs AS
SELECT lower(substr(hex(j.id), 1, 8) || '-' || substr(hex(j.id), 9, 4) || '-' || substr(hex(j.id), 13, 4) || '-'
             || substr(hex(j.id), 17, 4) || '-' || substr(hex(j.id), 21)) AS id,
       j.workflow,
       p.state,
       strftime('%Y-%m-%d %H:%M:%f', j.created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', p.started_at / 1e6, 'unixepoch') AS started_at,
       strftime('%Y-%m-%d %H:%M:%f', p.finished_at / 1e6, 'unixepoch') AS finished_at,
       strftime('%Y-%m-%d %H:%M:%f', p.deadline / 1e6, 'unixepoch') AS deadline,
       p.open_steps,
       p.failed_steps,
       p.cancel_code,
       p.cancel_reason,
       j.input,
       p.output,
       p.error_code,
       p.error_message,
       lower(substr(hex(j.root_id), 1, 8) || '-' || substr(hex(j.root_id), 9, 4) || '-' || substr(hex(j.root_id), 13, 4) || '-'
             || substr(hex(j.root_id), 17, 4) || '-' || substr(hex(j.root_id), 21)) AS root_id,
       CASE WHEN j.parent_id IS NOT NULL THEN lower(substr(hex(j.parent_id), 1, 8) || '-' || substr(hex(j.parent_id), 9, 4) || '-' || substr(hex(j.parent_id), 13, 4) || '-'
             || substr(hex(j.parent_id), 17, 4) || '-' || substr(hex(j.parent_id), 21)) END AS parent_id,
       j.parent_step,
       j.parent_item,
       j.depth,
       CASE WHEN j.retry_of IS NOT NULL THEN lower(substr(hex(j.retry_of), 1, 8) || '-' || substr(hex(j.retry_of), 9, 4) || '-' || substr(hex(j.retry_of), 13, 4) || '-'
             || substr(hex(j.retry_of), 17, 4) || '-' || substr(hex(j.retry_of), 21)) END AS retry_of
  FROM job j
  JOIN job_progress p ON p.job_id = j.id;

-- By their places in the definition; `item` is -1 for the step itself. A step is RUNNING once its task has begun to run.
CREATE VIEW steps AS
SELECT lower(substr(hex(s.job_id), 1, 8) || '-' || substr(hex(s.job_id), 9, 4) || '-' || substr(hex(s.job_id), 13, 4) || '-'
             || substr(hex(s.job_id), 17, 4) || '-' || substr(hex(s.job_id), 21)) AS job_id,
       j.workflow,
       s.step,
       s.item,
       CASE WHEN s.state = 'READY' AND s.task_id IS NOT NULL
                 AND (l.started_at IS NOT NULL
                      OR coalesce(l.attempts + l.crashes, y.attempts + y.crashes, w.attempts + w.crashes, 0) > 0)
            THEN 'RUNNING' ELSE s.state END AS state,
       CASE WHEN s.task_id IS NOT NULL THEN lower(substr(hex(s.task_id), 1, 8) || '-' || substr(hex(s.task_id), 9, 4) || '-' || substr(hex(s.task_id), 13, 4) || '-'
             || substr(hex(s.task_id), 17, 4) || '-' || substr(hex(s.task_id), 21)) END AS task_id,
       CASE WHEN s.child_id IS NOT NULL THEN lower(substr(hex(s.child_id), 1, 8) || '-' || substr(hex(s.child_id), 9, 4) || '-' || substr(hex(s.child_id), 13, 4) || '-'
             || substr(hex(s.child_id), 17, 4) || '-' || substr(hex(s.child_id), 21)) END AS child_id,
       strftime('%Y-%m-%d %H:%M:%f', s.ready_at / 1e6, 'unixepoch') AS ready_at,
       strftime('%Y-%m-%d %H:%M:%f', s.finished_at / 1e6, 'unixepoch') AS finished_at,
       strftime('%Y-%m-%d %H:%M:%f', s.wakes_at / 1e6, 'unixepoch') AS wakes_at,
       coalesce(s.output, e.result) AS output,
       coalesce(s.error_code, e.error_code) AS error_code,
       coalesce(s.error_message, e.error_message) AS error_message
  FROM step s
  JOIN job j ON j.id = s.job_id
  LEFT JOIN ending e ON e.task_id = s.task_id
  LEFT JOIN lease l ON l.task_id = s.task_id
  LEFT JOIN ready y ON y.task_id = s.task_id
  LEFT JOIN waiting w ON w.task_id = s.task_id;

-- Every id in the views is text in its usual form, with dashes, so that the views can be joined by them.

DROP VIEW tasks;
DROP VIEW attempts;
DROP VIEW heartbeats;
DROP VIEW workers;

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
       (SELECT lower(substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-' || substr(digits, 13, 4) || '-'
                     || substr(digits, 17, 4) || '-' || substr(digits, 21))
          FROM (SELECT hex(coalesce(e.worker_id, l.worker_id)) AS digits) WHERE digits <> '') AS worker_id,
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
SELECT lower(substr(hex(task_id), 1, 8) || '-' || substr(hex(task_id), 9, 4) || '-' || substr(hex(task_id), 13, 4) || '-'
             || substr(hex(task_id), 17, 4) || '-' || substr(hex(task_id), 21)) AS task_id,
       attempt, lease,
       lower(substr(hex(worker_id), 1, 8) || '-' || substr(hex(worker_id), 9, 4) || '-' || substr(hex(worker_id), 13, 4) || '-'
             || substr(hex(worker_id), 17, 4) || '-' || substr(hex(worker_id), 21)) AS worker_id,
       run_end,
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
       lower(substr(hex(b.worker_id), 1, 8) || '-' || substr(hex(b.worker_id), 9, 4) || '-' || substr(hex(b.worker_id), 13, 4)
             || '-' || substr(hex(b.worker_id), 17, 4) || '-' || substr(hex(b.worker_id), 21)) AS sender_id,
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
  FROM (SELECT lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4) || '-' || substr(hex(id), 13, 4) || '-'
                     || substr(hex(id), 17, 4) || '-' || substr(hex(id), 21)) AS id,
               name, status, cordoned, drain_requested, hostname, pid, version, queues, tags, capacity,
               last_heartbeat, round(age, 3) AS seconds_ago,
               coalesce(age < 3 * beat_interval_us / 1e6, 0) AS fresh
          FROM (SELECT *, (julianday('now') - 2440587.5) * 86400.0 - last_heartbeat / 1e6 AS age FROM worker));

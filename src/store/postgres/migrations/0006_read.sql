-- Everything about a task in one row, for people and for the store's own answers.
CREATE VIEW holdfast.tasks AS
SELECT t.id, t.name,
       CASE WHEN e.task_id IS NOT NULL THEN e.state WHEN l.task_id IS NULL THEN 'PENDING'
            WHEN l.started_at IS NULL THEN 'CLAIMED' ELSE 'RUNNING' END AS state,
       w.why AS waits_for,
       route.queue, route.tags, t.priority::integer,
       coalesce(e.run_at, l.run_at, r.run_at, w.run_at, t.run_at) AS run_at, t.deadline, t.created_at,
       coalesce(e.attempts, l.attempts, r.attempts, w.attempts, 0) AS attempts,
       coalesce(e.crashes, l.crashes, r.crashes, w.crashes, 0) AS crashes,
       coalesce(e.requeues, l.requeues, r.requeues, w.requeues, 0) AS requeues,
       coalesce(e.lease, l.lease, 0) AS lease, coalesce(e.worker_id, l.worker_id) AS worker_id,
       coalesce(e.claimed_at, l.claimed_at) AS claimed_at, coalesce(e.started_at, l.started_at) AS started_at,
       e.finished_at, l.stop_requested IS NOT DISTINCT FROM 'cancel' AS cancel_requested,
       e.result, e.error_code, e.error_message, e.error_data,
       p.fraction AS progress, p.text AS progress_text, p.saved_at AS progress_at, p.checkpoint,
       t.args, t.spec, t.policy, t.concurrency_key, t.concurrency_limit::integer, t.idempotency_key, t.retry_of, t.route_id
FROM holdfast.task t
LEFT JOIN holdfast.route ON route.id = t.route_id
LEFT JOIN holdfast.ending e ON e.task_id = t.id
LEFT JOIN holdfast.lease l ON l.task_id = t.id
LEFT JOIN holdfast.ready r ON r.task_id = t.id
LEFT JOIN holdfast.waiting w ON w.task_id = t.id
LEFT JOIN holdfast.progress p ON p.task_id = t.id;

CREATE FUNCTION holdfast.find_tasks(ids uuid[]) RETURNS SETOF holdfast.tasks LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
    SELECT t.* FROM unnest(ids) AS g (id) CROSS JOIN LATERAL (SELECT * FROM tasks WHERE tasks.id = g.id OFFSET 0) t;
END $$;

-- The ids of tasks, newest first, of one source: 'ready', 'waiting', 'lease', 'ending' or 'task' (all of them).
-- NULL or '' for a filter: any.
CREATE FUNCTION holdfast.list_ids(source text, lowest uuid, highest uuid, of_name text, of_queue text, of_worker uuid,
                                  of_state text, at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
DECLARE
    of_routes integer[] := ARRAY(SELECT r.id FROM route r WHERE r.queue = of_queue);
BEGIN
    IF source = 'ready' THEN
        RETURN QUERY SELECT x.task_id FROM ready x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR x.route_id = ANY (of_routes)) AND of_worker IS NULL
        ORDER BY x.task_id DESC LIMIT at_most;
    ELSIF source = 'waiting' THEN
        RETURN QUERY SELECT x.task_id FROM waiting x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR x.route_id = ANY (of_routes)) AND of_worker IS NULL
        ORDER BY x.task_id DESC LIMIT at_most;
    ELSIF source = 'lease' THEN
        RETURN QUERY SELECT x.task_id FROM lease x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR x.route_id = ANY (of_routes)) AND (of_worker IS NULL OR x.worker_id = of_worker)
          AND (of_state = 'RUNNING') = (x.started_at IS NOT NULL)
        ORDER BY x.task_id DESC LIMIT at_most;
    ELSIF source = 'ending' AND of_state = 'COMPLETED' THEN
        RETURN QUERY SELECT x.task_id FROM ending x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR t.route_id = ANY (of_routes)) AND (of_worker IS NULL OR x.worker_id = of_worker)
          AND x.state = 'COMPLETED'
        ORDER BY x.task_id DESC LIMIT at_most;
    ELSIF source = 'ending' THEN
        RETURN QUERY SELECT x.task_id FROM ending x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR t.route_id = ANY (of_routes)) AND (of_worker IS NULL OR x.worker_id = of_worker)
          AND x.state = of_state AND x.state <> 'COMPLETED'
        ORDER BY x.state DESC, x.task_id DESC LIMIT at_most;
    ELSE
        RETURN QUERY SELECT t.id FROM task t LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id
        WHERE t.id BETWEEN lowest AND highest AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR t.route_id = ANY (of_routes))
          AND (of_worker IS NULL OR coalesce(e.worker_id, l.worker_id) = of_worker)
        ORDER BY t.id DESC LIMIT at_most;
    END IF;
END $$;

-- Every execution of every task.
CREATE VIEW holdfast.attempts AS
SELECT task_id, attempt, lease, worker_id, claimed_at, started_at, finished_at, run_end, error_code, error_message, error_data
FROM holdfast.attempt
UNION ALL
SELECT task_id, attempt, lease, worker_id, claimed_at, started_at, finished_at, run_end, error_code, error_message, error_data
FROM holdfast.ending WHERE started_at IS NOT NULL;

-- Who said when that a task is in good hands: a row per lease and kept beat.
CREATE VIEW holdfast.heartbeats AS
SELECT b.id * 100000 + h.place AS id, (h.held ->> 'task')::uuid AS task_id, b.worker_id AS sender_id,
       CASE WHEN (h.held ->> 'running')::boolean THEN 'runner' ELSE 'claimer' END AS role,
       b.sent_at, b.hostname,
       CASE WHEN (h.held ->> 'pid')::integer > 0 THEN (h.held ->> 'pid')::integer ELSE b.pid END AS pid
FROM holdfast.beat_history b CROSS JOIN LATERAL jsonb_array_elements(b.held) WITH ORDINALITY AS h (held, place);

-- Workers as people ask about them. Fresh: its last beat is not older than three of its intervals. Never beaten: stale.
CREATE VIEW holdfast.workers AS
SELECT w.id, w.number, w.name, w.status, w.last_heartbeat,
       extract(epoch FROM holdfast.now() - w.last_heartbeat)::double precision AS seconds_ago,
       f.freshness, w.status = 'active' AND NOT w.cordoned AND NOT w.drain_requested AND f.freshness = 'fresh' AS schedulable,
       w.cordoned, w.drain_requested, w.hostname, w.pid, w.version, w.queues, w.tags, w.capacity,
       jsonb_array_length(w.held) AS held_leases, w.registered_at
FROM holdfast.worker w
CROSS JOIN LATERAL (
    SELECT CASE WHEN w.last_heartbeat > holdfast.now() - 3 * w.beat_interval_us * interval '1 microsecond'
                THEN 'fresh' ELSE 'stale' END AS freshness) f;

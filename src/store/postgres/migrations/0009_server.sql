-- Servers: who may do what, which of them there are; and the trace context that comes with what is submitted to them.

-- The W3C trace context of the submitter; NULL: none.
ALTER TABLE holdfast.task ADD COLUMN traceparent text COLLATE "C";

-- For lists by name: one that is rare is found among any number of others. See holdfast.list_named().
CREATE INDEX task_name ON holdfast.task (name, id) WHERE by_name;

-- Keys to the server. Their names are unique among those that are neither revoked nor expired.
CREATE TABLE holdfast.token (
    id              uuid PRIMARY KEY,
    name            text COLLATE "C" NOT NULL,
    hash            text COLLATE "C" NOT NULL UNIQUE,  -- of the secret, which is not stored
    scope           text COLLATE "C" NOT NULL CHECK (scope IN ('work', 'read', 'submit', 'operate', 'admin')),
    queues          text[] NOT NULL,                   -- empty: all
    who             text NOT NULL,                     -- made it
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    revoked_at      timestamptz,
    last_used_at    timestamptz,
    last_used_from  text NOT NULL DEFAULT ''
);

-- Logins at the page. A session is valid as long as its token is, unless it was not used for 12 hours.
CREATE TABLE holdfast.session (
    id              uuid PRIMARY KEY,
    hash            text COLLATE "C" NOT NULL UNIQUE,  -- of the secret in the cookie, which is not stored
    token_id        uuid NOT NULL,
    created_from    text NOT NULL,
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz NOT NULL,
    last_used_from  text NOT NULL
);

-- The servers of this store.
CREATE TABLE holdfast.replica (
    id              uuid PRIMARY KEY,
    hostname        text NOT NULL,
    pid             integer NOT NULL,
    version         text NOT NULL,
    address         text NOT NULL,
    sweeping        boolean NOT NULL,
    started_at      timestamptz NOT NULL,
    last_heartbeat  timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The same as before, with the trace context -----------------------------------------------------------------------------

CREATE OR REPLACE VIEW holdfast.tasks AS
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
       t.args, t.spec, t.policy, t.concurrency_key, t.concurrency_limit::integer, t.idempotency_key, t.retry_of, t.route_id,
       t.traceparent
FROM holdfast.task t
LEFT JOIN holdfast.route ON route.id = t.route_id
LEFT JOIN holdfast.ending e ON e.task_id = t.id
LEFT JOIN holdfast.lease l ON l.task_id = t.id
LEFT JOIN holdfast.ready r ON r.task_id = t.id
LEFT JOIN holdfast.waiting w ON w.task_id = t.id
LEFT JOIN holdfast.progress p ON p.task_id = t.id;

DROP FUNCTION holdfast.submit_batch(uuid[], text[], text[], text[], integer[], integer[], timestamptz[], timestamptz[], text[],
                                    text[], integer[], text[], uuid[], boolean[]);
-- Accepts a batch without duplicates in itself. Answers only about those that were not accepted, by their place in the
-- arrays (from 1): 'existing' or 'mismatch' with the first task's id, or 'too_old'. NULL run_at: now. The
-- trace that a task belongs to is not part of its payload.
CREATE FUNCTION holdfast.submit_batch(
    ids uuid[], names text[], argses text[], specs text[], routes integer[], priorities integer[],
    run_ats timestamptz[], deadlines timestamptz[], policies text[], keys text[], limits integer[],
    idempotency_keys text[], retry_ofs uuid[], too_old boolean[], traceparents text[]
) RETURNS TABLE (place bigint, status text, first_id uuid, limit_in_force integer) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := holdfast.now();
    accepted uuid[];
    has_keys boolean;
    keyed bigint[];
    keyed_ids uuid[];
    new_routes integer[];
    new_keys text[];
    new_limits integer[];
BEGIN
    WITH inserted AS (
        INSERT INTO task (id, name, args, spec, route_id, priority, run_at, deadline, policy, concurrency_key,
                          concurrency_limit, idempotency_key, retry_of, created_at, traceparent)
        SELECT g.id, g.name, g.args, g.spec, g.route_id, g.priority, coalesce(g.run_at, at), g.deadline, g.policy::jsonb,
               g.key, g.max_slots, g.idempotency_key, g.retry_of, at, g.traceparent
        FROM unnest(ids, names, argses, specs, routes, priorities, run_ats, deadlines, policies, keys, limits,
                    idempotency_keys, retry_ofs, too_old, traceparents)
            AS g (id, name, args, spec, route_id, priority, run_at, deadline, policy, key, max_slots,
                  idempotency_key, retry_of, old, traceparent)
        WHERE NOT g.old
        ORDER BY g.id  -- one order for all: two callers with the same ids wait for each other instead of deadlocking
        ON CONFLICT DO NOTHING
        RETURNING id, run_at, deadline, route_id, priority, concurrency_key,
                  coalesce(policy ->> 'unmatched' = 'fail', false) AS fails_unmatched
    ), due AS (
        INSERT INTO ready (task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues,
                           fails_unmatched, concurrency_key)
        SELECT id, run_at, deadline, 0, route_id, priority, 0, 0, 0, fails_unmatched, concurrency_key
        FROM inserted WHERE run_at <= at
    ), later AS (
        INSERT INTO waiting (task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues,
                             fails_unmatched, concurrency_key, why)
        SELECT id, run_at, deadline, 0, route_id, priority, 0, 0, 0, fails_unmatched, concurrency_key, 'future'
        FROM inserted WHERE run_at > at
    )
    SELECT coalesce(array_agg(id), '{}'), bool_or(concurrency_key IS NOT NULL) INTO accepted, has_keys FROM inserted;
    IF has_keys THEN
        SELECT array_agg(g.place), array_agg(g.id), array_agg(g.route_id), array_agg(g.key), array_agg(g.max_slots)
        INTO keyed, keyed_ids, new_routes, new_keys, new_limits
        FROM unnest(ids, routes, keys, limits) WITH ORDINALITY AS g (id, route_id, key, max_slots, place)
        WHERE g.key IS NOT NULL AND (cardinality(accepted) = cardinality(ids) OR g.id = ANY (accepted));
    END IF;
    IF keyed IS NOT NULL THEN
        RETURN QUERY
        SELECT n.place, 'accepted', n.id, n.in_force
        FROM unnest(keyed, keyed_ids, new_limits, settle_limits(keyed_ids, new_routes, new_keys, new_limits))
            AS n (place, id, asked, in_force)
        WHERE n.in_force <> n.asked;
    END IF;
    IF cardinality(accepted) = cardinality(ids) THEN RETURN; END IF;

    RETURN QUERY
    SELECT g.place,
           CASE WHEN t.id IS NULL THEN 'too_old'
                WHEN t.name = g.name AND t.args = g.args AND t.spec IS NOT DISTINCT FROM g.spec
                     AND t.route_id = g.route_id AND t.priority = g.priority
                     AND t.policy IS NOT DISTINCT FROM g.policy::jsonb
                     AND t.concurrency_key IS NOT DISTINCT FROM g.key THEN 'existing'
                ELSE 'mismatch' END,
           coalesce(t.id, g.id),
           CASE WHEN t.id IS NOT NULL AND g.key IS NOT NULL THEN
               concurrency_limit(g.key, (SELECT r.queue FROM route r WHERE r.id = g.route_id)) END
    FROM unnest(ids, names, argses, specs, routes, priorities, policies, keys, limits, idempotency_keys) WITH ORDINALITY
        AS g (id, name, args, spec, route_id, priority, policy, key, max_slots, idempotency_key, place)
    LEFT JOIN LATERAL (
        (SELECT * FROM task WHERE task.id = g.id)
        UNION ALL
        (SELECT * FROM task WHERE task.idempotency_key = g.idempotency_key)
        LIMIT 1
    ) t ON true
    WHERE NOT g.id = ANY (coalesce(accepted, '{}'));
END $$;

DROP FUNCTION holdfast.submit_defect(text, json, json, text, text[], integer, jsonb, text, integer, text);
-- What is wrong with a submit, as one sentence that names the parameter; NULL when nothing is.
CREATE FUNCTION holdfast.submit_defect(
    name text, args json, spec json, queue text, tags text[], priority integer, policy jsonb,
    concurrency_key text, concurrency_limit integer, idempotency_key text,
    traceparent text
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN coalesce(name, '') = '' OR octet_length(name) > 255 THEN 'name: must have 1 to 255 bytes'
        WHEN args IS NULL THEN 'args: must be JSON, not NULL'
        WHEN greatest(octet_length(args::text), octet_length(spec::text)) > biggest THEN
            format('args and spec: may have at most %s bytes each', biggest)
        WHEN coalesce(queue, '') = '' OR octet_length(queue) > 255 THEN 'queue: must have 1 to 255 bytes'
        WHEN tags IS NULL OR EXISTS (SELECT FROM unnest(tags) AS t (tag) WHERE coalesce(tag, '') = '' OR octet_length(tag) > 255)
            THEN 'tags: each must have 1 to 255 bytes'
        WHEN priority IS NULL OR priority NOT BETWEEN 1 AND 100 THEN 'priority: must be from 1 to 100'
        WHEN concurrency_key = '' OR octet_length(concurrency_key) > 255 THEN 'concurrency_key: must have 1 to 255 bytes'
        WHEN concurrency_limit < 1 THEN 'concurrency_limit: must be at least 1'
        WHEN concurrency_limit IS NOT NULL AND concurrency_key IS NULL THEN 'concurrency_limit: needs a concurrency_key'
        WHEN octet_length(idempotency_key) > 255 THEN 'idempotency_key: may have at most 255 bytes'
        WHEN traceparent !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN
            'traceparent: must be as W3C trace context has it: 00-<32 hexadecimal digits>-<16>-<2>, in lower case'
        ELSE holdfast.policy_defect(coalesce(policy, '{}'))
    END
    FROM (SELECT coalesce(nullif(current_setting('holdfast.max_payload_bytes', true), '')::integer, 1048576) AS biggest) limits
$$;

DROP FUNCTION holdfast.submit(text, json, text, text[], integer, timestamptz, timestamptz, jsonb, text, integer, text, uuid, json);
-- Submits one task inside the caller's transaction and returns its id:
--   SELECT holdfast.submit('send_mail', '{"to": "ann@example.com"}', priority => 10, policy => '{"max_attempts": 3}');
-- policy: max_attempts, retry_base_ms, retry_factor, retry_cap_ms, retry_jitter, retry_delays_ms, retry_on, on_crash,
-- max_crashes, timeout_ms, fence, unmatched. The same id or idempotency_key again with the same payload returns
-- the first task's id; with another payload it raises PAYLOAD_MISMATCH (SQLSTATE HF001). Bad values: SQLSTATE 22023.
CREATE FUNCTION holdfast.submit(
    name text,
    args json DEFAULT 'null',
    queue text DEFAULT 'default',
    tags text[] DEFAULT '{}',
    priority integer DEFAULT 50,
    run_at timestamptz DEFAULT NULL,
    deadline timestamptz DEFAULT NULL,
    policy jsonb DEFAULT NULL,
    concurrency_key text DEFAULT NULL,
    concurrency_limit integer DEFAULT NULL,
    idempotency_key text DEFAULT NULL,
    id uuid DEFAULT NULL,
    spec json DEFAULT NULL,
    traceparent text DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    complaint text := holdfast.submit_defect(name, args, spec, queue, tags, priority, policy, concurrency_key,
                                             concurrency_limit, nullif(idempotency_key, ''), nullif(traceparent, ''));
    defaults constant jsonb := '{"fence": "auto", "max_attempts": 1, "max_crashes": 3, "on_crash": "fail",
        "retry_base_ms": 1000, "retry_cap_ms": 300000, "retry_delays_ms": [], "retry_factor": 2, "retry_jitter": 0,
        "retry_on": [], "unmatched": "wait"}';
    task_id uuid := coalesce(id, holdfast.uuid_v7(holdfast.now()));
    differing jsonb;
    required text[];
    answer record;
BEGIN
    IF complaint IS NOT NULL THEN
        RAISE EXCEPTION 'holdfast.submit: %', complaint USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT jsonb_object_agg(e.key, e.value) INTO differing
    FROM jsonb_each(policy) e WHERE e.value IS DISTINCT FROM defaults -> e.key;
    -- A function task needs a worker that has registered the function.
    SELECT array_agg(DISTINCT t.tag COLLATE "C" ORDER BY t.tag COLLATE "C") INTO required
    FROM unnest(CASE WHEN spec IS NULL THEN tags || ('task:' || name) ELSE tags END) AS t (tag);
    SELECT * INTO answer FROM holdfast.submit_batch(
        ARRAY[task_id], ARRAY[name], ARRAY[args::text], ARRAY[spec::text],
        ARRAY[holdfast.intern_route(queue, coalesce(required, '{}'))], ARRAY[priority], ARRAY[run_at], ARRAY[deadline],
        ARRAY[differing::text], ARRAY[concurrency_key],
        ARRAY[CASE WHEN concurrency_key IS NOT NULL THEN coalesce(concurrency_limit, 1) END],
        ARRAY[nullif(idempotency_key, '')], ARRAY[NULL::uuid], ARRAY[false],
        ARRAY[nullif(traceparent, '')]);
    IF answer.status = 'mismatch' THEN
        RAISE EXCEPTION 'PAYLOAD_MISMATCH: task % was submitted before with the same id or idempotency key and another payload',
            answer.first_id USING ERRCODE = 'HF001';
    END IF;
    IF answer.status IS NULL THEN PERFORM pg_notify('holdfast_work', ''); END IF;
    RETURN coalesce(answer.first_id, task_id);
END $$;

-- What servers show ---------------------------------------------------------------------------------------------------

-- Of the tasks with the newest ids that have ended, those that ended since then. The names stand in another table:
-- they are looked up for the newest only.
CREATE FUNCTION holdfast.recent_endings(since timestamptz, at_most integer, names_at_most integer)
RETURNS TABLE (state text, finished_at timestamptz, run_at timestamptz, started_at timestamptz, name text)
    LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
    SELECT e.state, e.finished_at, e.run_at, e.started_at,
           CASE WHEN e.place <= names_at_most THEN (SELECT t.name FROM task t WHERE t.id = e.task_id) END
    FROM (SELECT x.*, row_number() OVER (ORDER BY x.task_id DESC) AS place FROM ending x ORDER BY x.task_id DESC LIMIT at_most) e
    WHERE e.finished_at >= since
$$;

-- The task that could have been claimed for longest, in these queues (none: all) as far as they are not paused. From priority to priority of each route,
-- by the indexes of claims: how many tasks there are does not matter. Tasks whose time has come count, although only a claim
-- moves them into reach.
CREATE FUNCTION holdfast.oldest_claimable(of_queues text[]) RETURNS TABLE (task_id uuid, run_at timestamptz) LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
    WITH RECURSIVE open_route AS (
        SELECT r.id FROM route r JOIN queue q ON q.name = r.queue WHERE NOT q.paused AND (cardinality(of_queues) = 0 OR r.queue = ANY (of_queues))
    ), plain AS (
        SELECT r.id AS route_id, (SELECT x.priority FROM ready x WHERE x.route_id = r.id AND x.concurrency_key IS NULL
                                  ORDER BY x.priority LIMIT 1) AS priority
        FROM open_route r
        UNION ALL
        SELECT l.route_id, (SELECT x.priority FROM ready x WHERE x.route_id = l.route_id AND x.concurrency_key IS NULL
                            AND x.priority > l.priority ORDER BY x.priority LIMIT 1)
        FROM plain l WHERE l.priority IS NOT NULL
    ), keyed AS (
        SELECT r.id AS route_id, (SELECT x.priority FROM ready x WHERE x.route_id = r.id AND x.concurrency_key IS NOT NULL
                                  ORDER BY x.priority LIMIT 1) AS priority
        FROM open_route r
        UNION ALL
        SELECT l.route_id, (SELECT x.priority FROM ready x WHERE x.route_id = l.route_id AND x.concurrency_key IS NOT NULL
                            AND x.priority > l.priority ORDER BY x.priority LIMIT 1)
        FROM keyed l WHERE l.priority IS NOT NULL
    )
    SELECT c.task_id, c.run_at FROM (
        SELECT f.* FROM plain l CROSS JOIN LATERAL (
            SELECT x.task_id, x.run_at FROM ready x WHERE x.route_id = l.route_id AND x.priority = l.priority
            AND x.concurrency_key IS NULL ORDER BY x.run_at, x.task_id LIMIT 1) f
        UNION ALL
        SELECT f.* FROM keyed l CROSS JOIN LATERAL (
            SELECT x.task_id, x.run_at FROM ready x WHERE x.route_id = l.route_id AND x.priority = l.priority
            AND x.concurrency_key IS NOT NULL ORDER BY x.run_at, x.task_id LIMIT 1) f
        UNION ALL
        SELECT f.* FROM open_route r CROSS JOIN LATERAL (
            SELECT w.task_id, w.run_at FROM waiting w WHERE w.why = 'future' AND w.route_id = r.id
            AND w.run_at <= holdfast.now() ORDER BY w.run_at LIMIT 1) f
    ) c ORDER BY c.run_at, c.task_id LIMIT 1
$$;

-- Steps under way that are neither a task's nor a child job's, by what their definitions say of them.
CREATE FUNCTION holdfast.undecided_steps()
RETURNS TABLE (definition_id uuid, workflow text, step integer, is_item boolean, steps bigint) LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT j.definition_id, j.workflow, s.step, s.item >= 0, count(*)
    FROM job_progress p JOIN job j ON j.id = p.job_id JOIN step s ON s.job_id = p.job_id
    WHERE p.state IN ('RUNNING', 'PAUSED') AND s.state = 'RUNNING' AND s.task_id IS NULL AND s.child_id IS NULL
    GROUP BY j.definition_id, j.workflow, s.step, s.item >= 0
$$;

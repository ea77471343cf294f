-- Starting and finishing: fenced writes. Each names (task, lease) and the worker, and is answered, in the order of the arrays,
-- with 'applied', 'already', 'lost' or 'withdrawn'.
--
-- Each lease is looked up by its task in a LATERAL subquery, which OFFSET 0 keeps as it is, and is written by its place. As a
-- join this would depend on statistics: where vacuum has found `lease` empty without cutting the file, the planner takes a
-- whole table for one row, and reads it once per run.

-- How runs of these workers under these leases ended before, in the order of the arrays: the task's state, 'PENDING' when it
-- was to run again, NULL when there was no such run. `run_end`: what was said of the run, by its worker or over its head. `known`: is
-- there such a task at all?
CREATE FUNCTION holdfast.earlier_ends(tasks uuid[], leases bigint[], workers uuid[])
RETURNS TABLE (state text, run_end text, known boolean) LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT CASE WHEN e.task_id IS NOT NULL THEN e.state WHEN a.task_id IS NOT NULL THEN 'PENDING' END,
           coalesce(e.run_end, a.run_end), t.id IS NOT NULL
    FROM unnest(tasks, leases, workers) WITH ORDINALITY AS g (task_id, lease, worker_id, place)
    LEFT JOIN ending e ON e.task_id = g.task_id AND e.lease = g.lease AND e.worker_id = g.worker_id
    LEFT JOIN attempt a ON a.task_id = g.task_id AND a.lease = g.lease AND a.worker_id = g.worker_id
    LEFT JOIN task t ON t.id = g.task_id
    ORDER BY g.place;
END $$;

-- Runs with the settings of turn().
CREATE FUNCTION holdfast.start_leases(holder uuid, tasks uuid[], leases bigint[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := holdfast.now();
    paused uuid[] := '{}';
    done uuid[] := '{}';
BEGIN
    IF EXISTS (SELECT FROM job_progress p WHERE p.state = 'PAUSED') THEN
        paused := ARRAY(SELECT s.task_id FROM step s JOIN job_progress p ON p.job_id = s.job_id
                        WHERE s.task_id = ANY (tasks) AND p.state = 'PAUSED');
    END IF;
    -- A lease that another transaction changes at this moment is passed by, because its place is another one then. So if one
    -- is missing, all are locked, and the rest is tried again.
    FOR tries IN 1..2 LOOP
        WITH held AS MATERIALIZED (
            SELECT x.place FROM unnest(tasks, leases) AS g (task_id, lease) CROSS JOIN LATERAL (
                SELECT l.ctid AS place, l.lease, l.worker_id FROM lease l WHERE l.task_id = g.task_id OFFSET 0) x
            WHERE x.lease = g.lease AND x.worker_id = holder
        ), started AS (
            UPDATE lease l SET started_at = at FROM held h
            WHERE l.ctid = h.place AND l.started_at IS NULL AND l.stop_requested IS NULL AND NOT l.task_id = ANY (paused)
            RETURNING l.task_id
        )
        SELECT done || coalesce(array_agg(s.task_id), '{}') INTO done FROM started s;
        EXIT WHEN cardinality(done) = cardinality(tasks);
        PERFORM FROM lease l WHERE l.task_id = ANY (tasks) ORDER BY l.task_id FOR UPDATE;
    END LOOP;
    IF EXISTS (SELECT FROM job_progress p WHERE p.state = 'PENDING') THEN PERFORM begin_jobs(done, at); END IF;
    IF cardinality(done) = cardinality(tasks) THEN
        RETURN array_fill('applied'::text, ARRAY[cardinality(tasks)]);
    END IF;
    RETURN ARRAY(
        SELECT CASE WHEN g.task_id = ANY (done) THEN 'applied' WHEN l.started_at IS NOT NULL THEN 'already'
                    WHEN l.task_id IS NOT NULL THEN 'withdrawn'
                    ELSE 'lost' END
        FROM unnest(tasks, leases) WITH ORDINALITY AS g (task_id, lease, place)
        LEFT JOIN LATERAL (
            SELECT x.task_id, x.started_at, x.lease, x.worker_id FROM lease x WHERE x.task_id = g.task_id OFFSET 0) l
            ON l.lease = g.lease AND l.worker_id = holder
        ORDER BY g.place);
END $$;

-- The most frequent end of all, in one statement: runs that returned a value. There is nothing to decide about them.
-- Answers whether slots were freed, so that tasks behind them may have moved up. If one of the leases is not current, or is
-- being changed at this moment, or one of the tasks is a step, it raises HF002, and nothing is changed. Runs with the settings
-- of turn().
CREATE FUNCTION holdfast.complete(holder uuid, tasks uuid[], leases bigint[], results text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := holdfast.now();
    done bigint;
    keyed uuid[];
    routes integer[];
    keys text[];
BEGIN
    IF EXISTS (SELECT FROM step s WHERE s.task_id = ANY (tasks)) THEN
        RAISE EXCEPTION 'some of these runs are steps of jobs' USING ERRCODE = 'HF002';
    END IF;
    WITH held AS MATERIALIZED (
        SELECT x.place, g.result FROM unnest(tasks, leases, results) AS g (task_id, lease, result) CROSS JOIN LATERAL (
            SELECT l.ctid AS place, l.lease, l.worker_id FROM lease l WHERE l.task_id = g.task_id OFFSET 0) x
        WHERE x.lease = g.lease AND x.worker_id = holder
    ), ended AS (
        DELETE FROM lease l USING held h WHERE l.ctid = h.place AND l.started_at IS NOT NULL
        RETURNING l.task_id, l.worker_id, l.lease, l.claimed_at, l.started_at, l.run_at, l.attempts, l.crashes, l.requeues,
                  l.route_id, l.concurrency_key, h.result
    ), terminal AS (
        INSERT INTO ending (task_id, worker_id, lease, finished_at, claimed_at, started_at, run_at, attempts, crashes,
                            requeues, attempt, state, run_end, result)
        SELECT task_id, worker_id, lease, at, claimed_at, started_at, run_at, attempts + 1, crashes, 0,
               attempts + crashes + 1, 'COMPLETED', 'COMPLETED', result
        FROM ended
    )
    SELECT count(*), array_agg(task_id) FILTER (WHERE concurrency_key IS NOT NULL),
           array_agg(route_id) FILTER (WHERE concurrency_key IS NOT NULL),
           array_agg(concurrency_key) FILTER (WHERE concurrency_key IS NOT NULL)
    INTO done, keyed, routes, keys FROM ended;
    IF done < cardinality(tasks) THEN
        RAISE EXCEPTION '% of these runs do not hold their lease any more', cardinality(tasks) - done USING ERRCODE = 'HF002';
    END IF;
    IF keyed IS NOT NULL THEN PERFORM free_slots(keyed, routes, keys); END IF;
    RETURN keyed IS NOT NULL;
END $$;

-- A worker's turn: complete() these runs, start_leases() of those, and claim(). Each part is left out if it has nothing to do.
-- The settings are for all of them, because each function that has settings of its own costs as much as a small statement.
-- A claim does not wait for the keys of others in a transaction that has changed something: what ended would not be told
-- meanwhile, and two of them could wait for each other, because keys are locked in their order.
CREATE FUNCTION holdfast.turn(
    worker uuid, ended_tasks uuid[], ended_leases bigint[], results text[], to_start_tasks uuid[], to_start_leases bigint[],
    request_id uuid, to_start integer, to_hold integer, budget integer, known_queues text[], known_tags text[],
    known_routes bigint, routes integer[], look_first boolean, seen_rank bigint, seen_lease bigint, may_wait boolean DEFAULT true,
    OUT freed boolean, OUT starts text[], OUT put_off boolean, OUT refusal text, OUT stale boolean, OUT next_due_us bigint,
    OUT more boolean
) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET datestyle = 'ISO' SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    claimed record;
BEGIN
    freed := cardinality(ended_tasks) > 0 AND complete(worker, ended_tasks, ended_leases, results);
    IF cardinality(to_start_tasks) > 0 THEN starts := start_leases(worker, to_start_tasks, to_start_leases); END IF;
    IF to_start + to_hold > 0 THEN
        claimed := claim(worker, request_id, to_start, to_hold, budget, known_queues, known_tags, known_routes, routes,
                         look_first, seen_rank, seen_lease, may_wait AND pg_current_xact_id_if_assigned() IS NULL);
        put_off := claimed.put_off;
        refusal := claimed.refusal;
        stale := claimed.stale;
        next_due_us := claimed.next_due_us;
        more := claimed.more;
    END IF;
END $$;

-- The most frequent of what end_leases() does: runs that returned a value, without keys. The caller has locked their leases, and
-- has found that they are the current ones.
CREATE FUNCTION holdfast.complete_locked(tasks uuid[], results text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    at timestamptz := holdfast.now();
BEGIN
    WITH held AS MATERIALIZED (
        SELECT x.place, g.result FROM unnest(tasks, results) AS g (task_id, result) CROSS JOIN LATERAL (
            SELECT l.ctid AS place FROM lease l WHERE l.task_id = g.task_id OFFSET 0) x
    ), ended AS (
        DELETE FROM lease l USING held h WHERE l.ctid = h.place
        RETURNING l.task_id, l.worker_id, l.lease, l.claimed_at, l.started_at, l.run_at, l.attempts, l.crashes, h.result
    )
    INSERT INTO ending (task_id, worker_id, lease, finished_at, claimed_at, started_at, run_at, attempts, crashes, requeues,
                        attempt, state, run_end, result)
    SELECT task_id, worker_id, lease, at, claimed_at, started_at, run_at, attempts + 1, crashes, 0, attempts + crashes + 1,
           'COMPLETED', 'COMPLETED', result
    FROM ended;
END $$;

-- Lease rows, locked in the order of the ids, with what a decision about them needs; and, locked after them, the trees of
-- the jobs that any of the tasks, leased or not, is a step of.
CREATE FUNCTION holdfast.lock_leases(tasks uuid[])
RETURNS TABLE (task_id uuid, lease bigint, worker_id uuid, started boolean, stop_requested text, deadline timestamptz,
               attempts integer, crashes integer, requeues integer, policy text, at timestamptz, is_step boolean,
               has_key boolean)
    LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    roots uuid[];
BEGIN
    RETURN QUERY
    SELECT l.task_id, l.lease, l.worker_id, l.started_at IS NOT NULL, l.stop_requested::text, l.deadline, l.attempts, l.crashes,
           l.requeues, t.policy::text, holdfast.now(), EXISTS (SELECT FROM step s WHERE s.task_id = l.task_id),
           l.concurrency_key IS NOT NULL
    FROM lease l JOIN task t ON t.id = l.task_id
    WHERE l.task_id = ANY (tasks) ORDER BY l.task_id FOR UPDATE OF l;
    roots := ARRAY(SELECT DISTINCT j.root_id FROM step s JOIN job j ON j.id = s.job_id WHERE s.task_id = ANY (tasks));
    IF roots <> '{}' THEN PERFORM FROM job_progress p WHERE p.job_id = ANY (roots) ORDER BY p.job_id FOR UPDATE; END IF;
END $$;

-- Where tasks are: 'pending' (with the lease that ended last), 'leased', 'stopping' (leased, and asked to be cancelled), or
-- their terminal state; NULL: unknown.
CREATE FUNCTION holdfast.whereabouts(tasks uuid[]) RETURNS TABLE (place text, last_lease bigint) LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT CASE WHEN e.task_id IS NOT NULL THEN e.state WHEN l.stop_requested = 'cancel' THEN 'stopping'
                WHEN l.task_id IS NOT NULL THEN 'leased'
                WHEN r.task_id IS NOT NULL OR w.task_id IS NOT NULL THEN 'pending' END,
           coalesce(r.last_lease, w.last_lease, 0)
    FROM unnest(tasks) WITH ORDINALITY AS g (task_id, place)
    LEFT JOIN ending e ON e.task_id = g.task_id
    LEFT JOIN lease l ON l.task_id = g.task_id
    LEFT JOIN ready r ON r.task_id = g.task_id
    LEFT JOIN waiting w ON w.task_id = g.task_id
    ORDER BY g.place;
END $$;

-- Asks workers, through the answers to their beats, to stop. A cancel also replaces another request.
CREATE FUNCTION holdfast.request_stops(tasks uuid[], leases bigint[], reasons text[])
RETURNS TABLE (task_id uuid, worker_id uuid) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    UPDATE lease l SET stop_requested = g.reason
    FROM unnest(tasks, leases, reasons) AS g (task_id, lease, reason)
    WHERE l.task_id = g.task_id AND l.lease = coalesce(g.lease, l.lease)
      AND (coalesce(l.stop_requested, 'pause') = 'pause' OR g.lease IS NULL AND l.stop_requested <> g.reason)
    RETURNING l.task_id, l.worker_id;
END $$;

-- Events, in the order given. One about the task of a step is one about its job, too.
CREATE FUNCTION holdfast.write_events(kinds text[], tasks uuid[], workers uuid[], jobs uuid[], whos text[], messages text[],
                                      datas text[], queues text[], orders boolean[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO event (at, kind, task_id, worker_id, job_id, who, message, data, queue, is_order)
    SELECT holdfast.now(), g.kind, g.task_id, g.worker_id,
           coalesce(g.job_id, (SELECT s.job_id FROM step s WHERE s.task_id = g.task_id)), g.who, g.message, g.data,
           coalesce(g.queue, (SELECT r.queue FROM task t JOIN route r ON r.id = t.route_id WHERE t.id = g.task_id)),
           g.is_order
    FROM unnest(kinds, tasks, workers, jobs, whos, messages, datas, queues, orders) WITH ORDINALITY
        AS g (kind, task_id, worker_id, job_id, who, message, data, queue, is_order, place)
    ORDER BY g.place;
END $$;

-- What runs report. A value that is not reported stays as it was.
CREATE FUNCTION holdfast.save_progress(holder uuid, tasks uuid[], leases bigint[], fractions double precision[], texts text[],
                                       checkpoints text[]) RETURNS text[] LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    saved uuid[];
BEGIN
    WITH held AS (  -- locked: a lease that ends at this moment ends before or after
        SELECT g.* FROM unnest(tasks, leases, fractions, texts, checkpoints) AS g (task_id, lease, fraction, text, checkpoint)
        CROSS JOIN LATERAL (
            SELECT l.worker_id FROM lease l WHERE l.task_id = g.task_id AND l.lease + 0 = g.lease
              AND l.started_at IS NOT NULL OFFSET 0 FOR KEY SHARE) x
        WHERE x.worker_id = holder
    ), written AS (
        INSERT INTO progress AS p (task_id, fraction, text, checkpoint, saved_at)
        SELECT h.task_id, h.fraction, h.text, h.checkpoint, holdfast.now() FROM held h
        ON CONFLICT (task_id) DO UPDATE SET fraction = coalesce(excluded.fraction, p.fraction),
            text = coalesce(excluded.text, p.text), checkpoint = coalesce(excluded.checkpoint, p.checkpoint),
            saved_at = excluded.saved_at
        RETURNING p.task_id
    )
    SELECT coalesce(array_agg(w.task_id), '{}') INTO saved FROM written w;
    RETURN ARRAY(SELECT CASE WHEN g.id = ANY (saved) THEN 'applied' ELSE 'lost' END
                 FROM unnest(tasks) WITH ORDINALITY AS g (id, place) ORDER BY g.place);
END $$;

-- Chunks of what runs printed. The same (task, lease, sequence) again is the same chunk.
CREATE FUNCTION holdfast.append_logs(holder uuid, tasks uuid[], leases bigint[], sequences integer[], streams text[], texts text[],
                                     ats timestamptz[]) RETURNS text[] LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
    written bigint[];
BEGIN
    WITH held AS (
        SELECT g.* FROM unnest(tasks, leases, sequences, streams, texts, ats) WITH ORDINALITY
            AS g (task_id, lease, sequence, stream, text, at, place)
        CROSS JOIN LATERAL (
            SELECT l.worker_id FROM lease l WHERE l.task_id = g.task_id AND l.lease + 0 = g.lease
              AND l.started_at IS NOT NULL OFFSET 0 FOR KEY SHARE) x
        WHERE x.worker_id = holder
        ORDER BY g.place
    ), appended AS (
        INSERT INTO log AS x (task_id, lease, sequence, stream, text, at)
        SELECT h.task_id, h.lease, h.sequence, h.stream, h.text, h.at FROM held h ORDER BY h.place
        ON CONFLICT (task_id, lease, sequence) DO NOTHING
        RETURNING x.task_id, x.lease, x.sequence
    )
    SELECT coalesce(array_agg(g.place), '{}') INTO written
    FROM appended a JOIN unnest(tasks, leases, sequences) WITH ORDINALITY AS g (task_id, lease, sequence, place)
        ON g.task_id = a.task_id AND g.lease = a.lease AND g.sequence = a.sequence;
    RETURN ARRAY(
        SELECT CASE WHEN g.place = ANY (written) THEN 'applied'
                    WHEN EXISTS (SELECT FROM log x WHERE x.task_id = g.task_id AND x.lease = g.lease
                                 AND x.sequence = g.sequence) THEN 'already'
                    ELSE 'lost' END
        FROM unnest(tasks, leases, sequences) WITH ORDINALITY AS g (task_id, lease, sequence, place) ORDER BY g.place);
END $$;

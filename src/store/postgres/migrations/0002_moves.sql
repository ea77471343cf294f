-- Moves that several verbs share. Every function here runs inside its caller's transaction.
--
-- The settings on the functions pin their plans: what they touch is found by index, in the order of the arrays given, on
-- a fresh and on a large table alike. They are in plpgsql, which keeps plans: a function in SQL is planned with every call.
-- Lock order: leases by task id, then the trees of jobs (the row of the job at the top in job_progress) sorted by id, then the
-- keys' rows sorted by key.

-- Locks the trees of these jobs.
CREATE FUNCTION holdfast.lock_trees(jobs uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    roots uuid[] := ARRAY(SELECT DISTINCT j.root_id FROM job j WHERE j.id = ANY (jobs));
BEGIN
    PERFORM FROM job_progress p WHERE p.job_id = ANY (roots) ORDER BY p.job_id FOR UPDATE;
END $$;

-- Locks, for those of the tasks that are steps, their leases and then the trees of their jobs; answers which these are.
CREATE FUNCTION holdfast.lock_steps(tasks uuid[]) RETURNS uuid[] LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    of_steps uuid[];
    jobs uuid[];
BEGIN
    SELECT array_agg(s.task_id), array_agg(DISTINCT s.job_id) INTO of_steps, jobs FROM step s WHERE s.task_id = ANY (tasks);
    IF of_steps IS NULL THEN RETURN '{}'; END IF;
    PERFORM FROM lease l WHERE l.task_id = ANY (of_steps) ORDER BY l.task_id FOR UPDATE;
    PERFORM lock_trees(jobs);
    RETURN of_steps;
END $$;

-- Marks the jobs of tasks that have just been started as RUNNING. The caller may hold keys, so it does not wait: a tree
-- that another transaction holds is passed by, and its job is marked when the first of its tasks ends.
CREATE FUNCTION holdfast.begin_jobs(tasks uuid[], at timestamptz) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    jobs uuid[] := ARRAY(SELECT DISTINCT p.job_id FROM step s JOIN job_progress p ON p.job_id = s.job_id
                         WHERE s.task_id = ANY (tasks) AND p.state = 'PENDING');
    roots uuid[];
BEGIN
    IF cardinality(jobs) = 0 THEN RETURN; END IF;
    roots := ARRAY(SELECT DISTINCT j.root_id FROM job j WHERE j.id = ANY (jobs));
    roots := ARRAY(SELECT p.job_id FROM job_progress p WHERE p.job_id = ANY (roots) ORDER BY p.job_id FOR UPDATE SKIP LOCKED);
    UPDATE job_progress p SET state = 'RUNNING', started_at = at, deadline = at + j.timeout_us * interval '1 microsecond'
    FROM job j WHERE p.job_id = ANY (jobs) AND p.state = 'PENDING' AND j.id = p.job_id AND j.root_id = ANY (roots);
END $$;

-- Whose limit counts for each of these keys of tasks of these routes: the owner is the queue, or '' for a key that is declared
-- shared. One array in the order given. The caller holds the lock on sharing if it needs the answer to stay true.
CREATE FUNCTION holdfast.key_owners(routes integer[], keys text[]) RETURNS text[] LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN ARRAY(
        SELECT coalesce((SELECT c.queue FROM concurrency c WHERE c.key = g.key AND c.queue = ''), r.queue)
        FROM unnest(routes, keys) WITH ORDINALITY AS g (route_id, key, place) JOIN route r ON r.id = g.route_id
        ORDER BY g.place);
END $$;

-- Held by every transaction that takes or frees slots, together with others; alone by one that changes which keys are
-- shared, because that changes whose slots are counted.
CREATE FUNCTION holdfast.keep_sharing() RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock_shared(hashtextextended('holdfast.shared_keys', 0))
$$;
CREATE FUNCTION holdfast.change_sharing() RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('holdfast.shared_keys', 0))
$$;

-- Locks the limits of these keys until the transaction ends, and answers which they are, each once. (Not against submits,
-- which may hold their transactions open for long: they hold the row FOR KEY SHARE.)
CREATE FUNCTION holdfast.lock_keys(routes integer[], keys text[], OUT owners text[], OUT names text[]) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    PERFORM keep_sharing();
    SELECT array_agg(k.owner), array_agg(k.key) INTO owners, names
    FROM (SELECT DISTINCT g.key, g.owner FROM unnest(key_owners(routes, keys), keys) AS g (owner, key)
          ORDER BY g.key, g.owner) k;
    PERFORM FROM unnest(owners, names) AS k (owner, key) JOIN concurrency c ON c.key = k.key AND c.queue = k.owner
    ORDER BY c.key, c.queue FOR NO KEY UPDATE OF c;
END $$;

-- Moves tasks that wait for these keys into reach: of every route those that are among the first, in the order of
-- claims and counting those in reach already, for which the key has free slots. The caller has locked the keys.
CREATE FUNCTION holdfast.unpark_owned(owners text[], names text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    owner text;
    full_key text;
    free_slots bigint;
    at_route integer;
    next uuid[];
    moved bigint;
BEGIN
    FOR owner, full_key, free_slots IN
        SELECT c.queue, c.key, c.max_slots - CASE
            WHEN c.queue = '' THEN (SELECT count(*) FROM slot s WHERE s.key = c.key)
            ELSE (SELECT count(*) FROM slot s WHERE s.key = c.key AND s.queue = c.queue) END
        FROM unnest(owners, names) AS k (owner, key) JOIN concurrency c ON c.key = k.key AND c.queue = k.owner
        WHERE EXISTS (SELECT FROM waiting w WHERE w.why = 'key' AND w.concurrency_key = c.key)
    LOOP
        CONTINUE WHEN free_slots <= 0;
        -- Of every route, because no worker may serve the route of the first task; those that come too late are parked again.
        at_route := 0;
        LOOP
            SELECT w.route_id INTO at_route FROM waiting w
            WHERE w.why = 'key' AND w.concurrency_key = full_key AND w.route_id > at_route ORDER BY w.route_id LIMIT 1;
            EXIT WHEN NOT FOUND;
            CONTINUE WHEN owner <> '' AND NOT EXISTS (SELECT FROM route r WHERE r.id = at_route AND r.queue = owner);
            LOOP
                WITH parked AS (
                    SELECT w.task_id, w.priority, w.run_at FROM waiting w
                    WHERE w.why = 'key' AND w.concurrency_key = full_key AND w.route_id = at_route
                    ORDER BY w.priority, w.run_at, w.task_id LIMIT free_slots
                ), in_reach AS (
                    SELECT r.task_id, r.priority, r.run_at FROM ready r
                    WHERE r.concurrency_key = full_key AND r.route_id = at_route
                    ORDER BY r.priority, r.run_at, r.task_id LIMIT free_slots
                ), first AS (
                    SELECT p.*, true AS is_parked FROM parked p UNION ALL SELECT i.*, false FROM in_reach i
                    ORDER BY priority, run_at, task_id LIMIT free_slots
                )
                SELECT array_agg(f.task_id) INTO next FROM first f WHERE f.is_parked;
                EXIT WHEN next IS NULL;
                WITH gone AS (
                    DELETE FROM waiting w USING unnest(next) AS n (id) WHERE w.task_id = n.id RETURNING w.*
                )
                INSERT INTO ready
                SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues,
                       fails_unmatched, concurrency_key
                FROM gone;
                GET DIAGNOSTICS moved = ROW_COUNT;
                -- Again if one left (a cancel) while this waited for its row: then another one is among the first.
                EXIT WHEN moved = cardinality(next);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

-- The same for the keys of tasks of these routes. To be called whenever a slot becomes free, and whenever a task with the
-- key leaves the ready set without taking one: otherwise those behind it would wait for ever. The caller need not have
-- locked the keys.
CREATE FUNCTION holdfast.unpark(routes integer[], keys text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    locked record;
BEGIN
    locked := lock_keys(routes, keys);
    PERFORM unpark_owned(locked.owners, locked.names);
END $$;

-- Frees the slots of tasks whose leases have ended in this transaction, and moves up those that wait for them.
CREATE FUNCTION holdfast.free_slots(tasks uuid[], routes integer[], keys text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    locked record;
BEGIN
    locked := lock_keys(routes, keys);
    DELETE FROM slot s WHERE s.task_id = ANY (tasks);
    PERFORM unpark_owned(locked.owners, locked.names);
END $$;

-- Takes free slots for tasks with keys, in the order given, and answers which tasks got one. The rest is left to park:
-- the keys' rows stay locked until the transaction ends, so no slot is freed in between.
CREATE FUNCTION holdfast.take_slots(tasks uuid[], routes integer[], keys text[]) RETURNS uuid[] LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    owners text[];
    admitted uuid[];
BEGIN
    PERFORM keep_sharing();
    owners := key_owners(routes, keys);
    -- A key without a row gets the limit of its task. Made or locked in one go: retention may be about to delete
    -- the row of an idle key, and a task parked behind a key without a row would wait for ever.
    INSERT INTO concurrency AS c (key, queue, max_slots, declared)
    SELECT g.key, g.owner, min(coalesce(t.concurrency_limit, 1)), g.owner = ''
    FROM unnest(tasks, owners, keys) AS g (task_id, owner, key) JOIN task t ON t.id = g.task_id
    GROUP BY g.key, g.owner ORDER BY g.key, g.owner
    ON CONFLICT (key, queue) DO UPDATE SET max_slots = c.max_slots WHERE false;
    WITH given AS (
        SELECT g.task_id, g.owner, g.key, r.queue,
               row_number() OVER (PARTITION BY g.key, g.owner ORDER BY g.place) AS turn
        FROM unnest(tasks, routes, owners, keys) WITH ORDINALITY AS g (task_id, route_id, owner, key, place)
        JOIN route r ON r.id = g.route_id
    ), wanted AS (
        SELECT g.owner, g.key, g.tasks, c.max_slots, CASE
                   WHEN g.owner = '' THEN (SELECT count(*) FROM slot s WHERE s.key = g.key)
                   ELSE (SELECT count(*) FROM slot s WHERE s.key = g.key AND s.queue = g.owner) END AS used
        FROM (SELECT x.owner, x.key, count(*) AS tasks FROM given x GROUP BY x.owner, x.key) g
        JOIN concurrency c ON c.key = g.key AND c.queue = g.owner
    ), free AS (
        SELECT w.owner, w.key, n.slot, row_number() OVER (PARTITION BY w.key, w.owner ORDER BY n.slot) AS turn,
               w.max_slots - w.used AS room
        FROM wanted w CROSS JOIN LATERAL generate_series(1, w.used + w.tasks) AS n (slot)
        WHERE w.used < w.max_slots
          AND NOT CASE WHEN w.owner = '' THEN EXISTS (SELECT FROM slot s WHERE s.key = w.key AND s.slot = n.slot)
                       ELSE EXISTS (SELECT FROM slot s WHERE s.key = w.key AND s.queue = w.owner AND s.slot = n.slot) END
    ), taken AS (
        INSERT INTO slot (key, queue, slot, task_id)
        SELECT g.key, g.queue, f.slot, g.task_id
        FROM free f JOIN given g ON g.key = f.key AND g.owner = f.owner AND g.turn = f.turn
        WHERE f.turn <= f.room
        RETURNING slot.task_id
    )
    SELECT coalesce(array_agg(t.task_id), '{}') INTO admitted FROM taken t;
    RETURN admitted;
END $$;

-- The same for whichever of these tasks hold slots; answers whether any did.
CREATE FUNCTION holdfast.free_slots_of(tasks uuid[]) RETURNS boolean LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    routes integer[];
    keys text[];
BEGIN
    SELECT array_agg(t.route_id), array_agg(s.key) INTO routes, keys
    FROM slot s JOIN task t ON t.id = s.task_id WHERE s.task_id = ANY (tasks);
    IF keys IS NOT NULL THEN PERFORM free_slots(tasks, routes, keys); END IF;
    RETURN keys IS NOT NULL;
END $$;

-- What C++ decided about leases, applied: each lease row goes; an attempt or an ending is written; what runs again is
-- put back at its old place, or after its delay. The caller holds the lease rows locked. run_ends: NULL where
-- nothing ran under the lease. Answers whether slots were freed, so that tasks behind them may have moved up.
-- has_steps: some of the tasks are steps, whose trees are locked. Then what runs again stays out of reach while its job is
-- PAUSED; and slots are left to free_slots_of(), because steps come before keys in the order of locks.
CREATE FUNCTION holdfast.end_leases(
    tasks uuid[], states text[], run_ends text[], delays_us bigint[], attempts_after integer[], crashes_after integer[],
    requeues_after integer[], results text[], report_codes text[], report_messages text[], report_datas text[],
    error_codes text[], error_messages text[], error_datas text[], has_steps boolean
) RETURNS boolean LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    at timestamptz := holdfast.now();
    held uuid[] := '{}';
    keyed uuid[];
    routes integer[];
    keys text[];
BEGIN
    IF has_steps THEN
        held := ARRAY(SELECT s.task_id FROM step s JOIN job_progress p ON p.job_id = s.job_id
                      WHERE s.task_id = ANY (tasks) AND p.state = 'PAUSED');
    END IF;
    WITH given AS (
        SELECT * FROM unnest(tasks, states, run_ends, delays_us, attempts_after, crashes_after, requeues_after, results,
                             report_codes, report_messages, report_datas, error_codes, error_messages, error_datas)
            AS g (task_id, state, run_end, delay_us, attempts, crashes, requeues, result,
                  report_code, report_message, report_data, error_code, error_message, error_data)
    ), held AS MATERIALIZED (  -- one look by key each, whatever the planner believes about the size of lease
        SELECT g.*, x.place FROM given g CROSS JOIN LATERAL (
            SELECT l.ctid AS place FROM lease l WHERE l.task_id = g.task_id OFFSET 0) x
    ), ended AS (
        DELETE FROM lease l USING held g WHERE l.ctid = g.place
        RETURNING l.*, g.state, g.run_end, g.attempts AS attempts_now, g.crashes AS crashes_now,
            g.requeues AS requeues_now, g.result, g.report_code, g.report_message, g.report_data,
            g.error_code, g.error_message, g.error_data,
            CASE WHEN g.delay_us > 0 THEN at + g.delay_us * interval '1 microsecond' ELSE l.run_at END AS next_run_at
    ), history AS (
        INSERT INTO attempt (task_id, lease, worker_id, claimed_at, started_at, finished_at, attempt, run_end,
                             error_code, error_message, error_data)
        SELECT task_id, lease, worker_id, claimed_at, started_at, at, attempts + crashes + 1, run_end,
               report_code, report_message, report_data
        FROM ended WHERE state = 'PENDING' AND run_end IS NOT NULL
    ), terminal AS (
        INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease, worker_id,
                            claimed_at, started_at, run_end, attempt, result, error_code, error_message, error_data)
        SELECT task_id, state, at, attempts_now, crashes_now, requeues_now, run_at,
               CASE WHEN ran THEN lease END, CASE WHEN ran THEN worker_id END, CASE WHEN ran THEN claimed_at END,
               CASE WHEN ran THEN started_at END, run_end, CASE WHEN ran THEN attempts + crashes + 1 END,
               result, error_code, error_message, error_data
        FROM (SELECT *, run_end IS NOT NULL AS ran FROM ended) e WHERE state <> 'PENDING'
    ), again AS (
        INSERT INTO ready (task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues,
                           fails_unmatched, concurrency_key)
        SELECT task_id, next_run_at, deadline, lease, route_id, priority, attempts_now, crashes_now, requeues_now,
               fails_unmatched, concurrency_key
        FROM ended WHERE state = 'PENDING' AND next_run_at <= at AND NOT task_id = ANY (held)
    ), later AS (
        INSERT INTO waiting (task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues,
                             fails_unmatched, concurrency_key, why)
        SELECT task_id, next_run_at, deadline, lease, route_id, priority, attempts_now, crashes_now, requeues_now,
               fails_unmatched, concurrency_key, CASE WHEN task_id = ANY (held) THEN 'job' ELSE 'future' END
        FROM ended WHERE state = 'PENDING' AND (next_run_at > at OR task_id = ANY (held))
    )
    SELECT array_agg(task_id), array_agg(route_id), array_agg(concurrency_key) INTO keyed, routes, keys
    FROM ended WHERE concurrency_key IS NOT NULL;
    IF keyed IS NOT NULL AND NOT has_steps THEN PERFORM free_slots(keyed, routes, keys); END IF;
    RETURN keyed IS NOT NULL;
END $$;

-- Ends PENDING tasks without a run, and answers which were PENDING, and whether they are steps. The order of the arrays
-- is the order of locks.
CREATE FUNCTION holdfast.end_pending(tasks uuid[], new_state text, code text, message text, details text)
RETURNS TABLE (task_id uuid, is_step boolean) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    of_steps uuid[] := lock_steps(tasks);
    at timestamptz := holdfast.now();
    ended uuid[];
    routes integer[];
    keys text[];
BEGIN
    WITH from_ready AS (
        DELETE FROM ready r USING unnest(tasks) AS g (id) WHERE r.task_id = g.id RETURNING r.*
    ), from_waiting AS (
        DELETE FROM waiting w USING unnest(tasks) AS g (id) WHERE w.task_id = g.id RETURNING w.*
    ), gone AS (
        SELECT task_id, run_at, attempts, crashes, requeues, route_id, concurrency_key FROM from_ready
        UNION ALL
        SELECT task_id, run_at, attempts, crashes, requeues, route_id, concurrency_key FROM from_waiting
    ), terminal AS (
        INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, error_code, error_message,
                            error_data)
        SELECT task_id, new_state, at, attempts, crashes, requeues, run_at, code, message, details FROM gone
    )
    SELECT array_agg(task_id), array_agg(route_id) FILTER (WHERE concurrency_key IS NOT NULL),
           array_agg(concurrency_key) FILTER (WHERE concurrency_key IS NOT NULL)
    INTO ended, routes, keys FROM gone;
    IF keys IS NOT NULL THEN PERFORM unpark(routes, keys); END IF;
    RETURN QUERY SELECT e.id, e.id = ANY (of_steps) FROM unnest(ended) AS e (id);
END $$;

-- PENDING tasks whose deadline has passed; those that a claim has put aside first.
CREATE FUNCTION holdfast.find_overdue(at_most integer) RETURNS SETOF uuid LANGUAGE sql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH aside AS (
        SELECT task_id FROM waiting WHERE deadline IS NOT NULL AND deadline <= holdfast.now() LIMIT at_most
    ), untried AS (
        SELECT task_id FROM ready WHERE deadline IS NOT NULL AND deadline <= holdfast.now() LIMIT at_most
    ), overdue AS (
        SELECT task_id FROM aside UNION ALL SELECT task_id FROM untried LIMIT at_most
    )
    SELECT task_id FROM overdue ORDER BY task_id
$$;

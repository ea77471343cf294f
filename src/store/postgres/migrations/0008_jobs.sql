-- Jobs: reading and writing their tables in batches, for the C++ code that decides about them, and views for people.
-- Every writer holds the tree's lock: see lock_trees(). What the end of a step calls is in PL/pgSQL, which keeps its plans for
-- the session: a function in SQL with settings is planned at every call.

CREATE VIEW holdfast.jobs AS
SELECT j.id, j.workflow, p.state, j.created_at, p.started_at, p.finished_at, p.deadline, p.open_steps, p.failed_steps,
       p.cancel_code, p.cancel_reason, j.input, p.output, p.error_code, p.error_message, p.error_data,
       j.root_id, j.parent_id, j.parent_step, j.parent_item, j.depth, j.retry_of, j.definition_id, j.timeout_us, p.first_failed
FROM holdfast.job j JOIN holdfast.job_progress p ON p.job_id = j.id;

-- By their places in the definition; `item` is -1 for the step itself. A step is RUNNING once its task has begun to run.
CREATE VIEW holdfast.steps AS
SELECT s.job_id, j.workflow, s.step, s.item,
       CASE WHEN s.state = 'READY' AND s.task_id IS NOT NULL
                 AND (l.started_at IS NOT NULL
                      OR coalesce(l.attempts + l.crashes, r.attempts + r.crashes, w.attempts + w.crashes, 0) > 0)
            THEN 'RUNNING' ELSE s.state END AS state,
       s.task_id, s.child_id, s.ready_at, s.finished_at, s.wakes_at,
       coalesce(s.output, e.result) AS output, coalesce(s.error_code, e.error_code) AS error_code,
       coalesce(s.error_message, e.error_message) AS error_message
FROM holdfast.step s
JOIN holdfast.job j ON j.id = s.job_id
LEFT JOIN holdfast.ending e ON e.task_id = s.task_id
LEFT JOIN holdfast.lease l ON l.task_id = s.task_id
LEFT JOIN holdfast.ready r ON r.task_id = s.task_id
LEFT JOIN holdfast.waiting w ON w.task_id = s.task_id;

-- Reading ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION holdfast.load_jobs(ids uuid[]) RETURNS SETOF holdfast.jobs LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY SELECT * FROM jobs WHERE id = ANY (ids);
END $$;

CREATE FUNCTION holdfast.load_steps(jobs uuid[], numbers integer[], items integer[]) RETURNS SETOF holdfast.step
    LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY SELECT s.* FROM unnest(jobs, numbers, items) AS g (job_id, step, item)
    JOIN step s ON s.job_id = g.job_id AND s.step = g.step AND s.item = g.item;
END $$;

-- Every step of the job itself (of_step: NULL), or the items of one.
CREATE FUNCTION holdfast.load_all_steps(of_job uuid, of_step integer) RETURNS SETOF holdfast.step LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
BEGIN
    IF of_step IS NULL THEN
        RETURN QUERY SELECT s.* FROM step s WHERE s.job_id = of_job AND s.item = -1 ORDER BY s.step;
    ELSE
        RETURN QUERY SELECT s.* FROM step s WHERE s.job_id = of_job AND s.step = of_step AND s.item >= 0 ORDER BY s.item;
    END IF;
END $$;

CREATE FUNCTION holdfast.steps_of_tasks(tasks uuid[]) RETURNS SETOF holdfast.step LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY SELECT s.* FROM step s WHERE s.task_id = ANY (tasks) ORDER BY s.job_id, s.step, s.item;
END $$;

-- The same, and, as long as they are few, the rows that their ends are likely to ask for: the steps behind them and the last one
-- of the job, or the for_each of an item and its next item. What is missing here is read later.
CREATE FUNCTION holdfast.steps_near(tasks uuid[]) RETURNS SETOF holdfast.step LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    own step;
BEGIN
    IF cardinality(tasks) > 8 THEN
        RETURN QUERY SELECT s.* FROM step s WHERE s.task_id = ANY (tasks);
        RETURN;
    END IF;
    FOR own IN SELECT s.* FROM step s WHERE s.task_id = ANY (tasks) LOOP
        RETURN NEXT own;
        IF own.item < 0 THEN  -- (By the whole key each, so that no plan walks through the job.)
            RETURN QUERY SELECT f.* FROM unnest(ARRAY[own.step + 1, own.step + 2,
                (SELECT l.step FROM step l WHERE l.job_id = own.job_id ORDER BY l.job_id DESC, l.step DESC, l.item DESC LIMIT 1)
            ]) AS n (number)
            CROSS JOIN LATERAL (SELECT x.* FROM step x
                                WHERE x.job_id = own.job_id AND x.step = n.number AND x.item = -1 OFFSET 0) f;
        ELSE
            RETURN QUERY SELECT w.* FROM step w WHERE w.job_id = own.job_id AND w.step = own.step AND w.item = -1;
            RETURN QUERY SELECT f.* FROM step w CROSS JOIN LATERAL (
                SELECT x.* FROM step x WHERE x.job_id = own.job_id AND x.step = own.step AND x.item = w.begun_items OFFSET 0) f
            WHERE w.job_id = own.job_id AND w.step = own.step AND w.item = -1;
        END IF;
    END LOOP;
END $$;

-- The jobs that have a step with one of these tasks.
CREATE FUNCTION holdfast.jobs_of_tasks(tasks uuid[]) RETURNS SETOF holdfast.jobs LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY SELECT * FROM jobs WHERE id = ANY (ARRAY(SELECT DISTINCT s.job_id FROM step s WHERE s.task_id = ANY (tasks)));
END $$;

CREATE FUNCTION holdfast.open_children(of_job uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id
    WHERE j.parent_id = of_job AND p.state IN ('PENDING', 'RUNNING', 'PAUSED') ORDER BY j.id;
END $$;

-- How those of the tasks that have ended did.
CREATE FUNCTION holdfast.task_ends(tasks uuid[])
RETURNS TABLE (task_id uuid, state text, result text, error_code text, error_message text, error_data text)
    LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY SELECT e.task_id, e.state::text, e.result, e.error_code, e.error_message, e.error_data
    FROM ending e WHERE e.task_id = ANY (tasks);
END $$;

CREATE FUNCTION holdfast.existing_tasks(tasks uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY SELECT t.id FROM task t WHERE t.id = ANY (tasks);
END $$;

-- A job with all of its descendants, the deepest first.
CREATE FUNCTION holdfast.tree_of(root uuid) RETURNS TABLE (id uuid, depth integer) LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
    SELECT t.id, t.depth FROM (
        SELECT j.id, j.depth FROM job j WHERE j.id = root
        UNION ALL
        SELECT j.id, j.depth FROM job j WHERE j.root_id = root AND j.parent_id IS NOT NULL) t
    ORDER BY t.depth DESC, t.id
$$;

-- How many steps of each job are where, without those from `behind` on: these are hooks. A READY one whose task has begun to
-- run is RUNNING.
CREATE FUNCTION holdfast.step_counts(ids uuid[], behind integer[]) RETURNS TABLE (job_id uuid, state text, steps bigint)
    LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT g.job_id, shown.state, count(*)
    FROM unnest(ids, behind) AS g (job_id, behind)
    JOIN step s ON s.job_id = g.job_id AND s.item = -1 AND s.step < g.behind
    CROSS JOIN LATERAL (
        SELECT CASE WHEN s.state = 'READY' AND s.task_id IS NOT NULL
                         AND (EXISTS (SELECT FROM lease l WHERE l.task_id = s.task_id
                                      AND (l.started_at IS NOT NULL OR l.attempts + l.crashes > 0))
                              OR EXISTS (SELECT FROM ready r WHERE r.task_id = s.task_id AND r.attempts + r.crashes > 0)
                              OR EXISTS (SELECT FROM waiting w WHERE w.task_id = s.task_id AND w.attempts + w.crashes > 0))
                    THEN 'RUNNING' ELSE s.state END AS state) shown
    GROUP BY g.job_id, shown.state
$$;

-- The ids of jobs, newest first. of_states: '{}' for all. of_workflow: '' for all. of_parent: only its children;
-- NULL: jobs at the top, and with_children all.
CREATE FUNCTION holdfast.list_jobs(of_states text[], of_workflow text, of_parent uuid, with_children boolean,
                                   lowest uuid, highest uuid, at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
    SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    IF of_parent IS NOT NULL THEN
        RETURN QUERY SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id
        WHERE j.parent_id = of_parent AND j.id BETWEEN lowest AND highest
          AND (cardinality(of_states) = 0 OR p.state = ANY (of_states)) AND (of_workflow = '' OR j.workflow = of_workflow)
        ORDER BY j.id DESC LIMIT at_most;
    ELSIF cardinality(of_states) > 0 THEN
        RETURN QUERY SELECT found.job_id FROM unnest(of_states) AS wanted (state) CROSS JOIN LATERAL (
            SELECT p.job_id FROM job_progress p JOIN job j ON j.id = p.job_id
            WHERE p.state = wanted.state AND p.job_id BETWEEN lowest AND highest
              AND (with_children OR j.parent_id IS NULL) AND (of_workflow = '' OR j.workflow = of_workflow)
            ORDER BY p.job_id DESC LIMIT at_most) found
        ORDER BY found.job_id DESC LIMIT at_most;
    ELSE
        RETURN QUERY SELECT j.id FROM job j WHERE j.id BETWEEN lowest AND highest
          AND (with_children OR j.parent_id IS NULL) AND (of_workflow = '' OR j.workflow = of_workflow)
        ORDER BY j.id DESC LIMIT at_most;
    END IF;
END $$;

-- Steps from the first to the last number, with their items, and what their tasks and child jobs add to them.
CREATE FUNCTION holdfast.read_steps(of_job uuid, first integer, last integer)
RETURNS TABLE (step integer, item integer, state text, task_id uuid, child_id uuid, ready_at timestamptz,
               finished_at timestamptz, wakes_at timestamptz, value text, output text, error_code text, error_message text,
               error_data text, task_result text, task_error_code text, task_error_message text, task_error_data text,
               child_output text, child_started_at timestamptz, task_started_at timestamptz, ended_runs integer,
               task_runs boolean, fraction double precision, progress_text text, saved_at timestamptz) LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT s.step, s.item, s.state, s.task_id, s.child_id, s.ready_at, s.finished_at, s.wakes_at, s.value, s.output,
           s.error_code, s.error_message, s.error_data, e.result, e.error_code, e.error_message, e.error_data,
           c.output, c.started_at,
           coalesce((SELECT min(a.started_at) FROM attempt a WHERE a.task_id = s.task_id), l.started_at, e.started_at),
           coalesce(e.attempts + e.crashes, l.attempts + l.crashes, r.attempts + r.crashes, w.attempts + w.crashes, 0),
           l.started_at IS NOT NULL, p.fraction, p.text, p.saved_at
    FROM step s
    LEFT JOIN ending e ON e.task_id = s.task_id
    LEFT JOIN lease l ON l.task_id = s.task_id
    LEFT JOIN ready r ON r.task_id = s.task_id
    LEFT JOIN waiting w ON w.task_id = s.task_id
    LEFT JOIN progress p ON p.task_id = s.task_id
    LEFT JOIN job_progress c ON c.job_id = s.child_id
    WHERE s.job_id = of_job AND s.step BETWEEN first AND last
    ORDER BY s.step, s.item
$$;

-- Writing ---------------------------------------------------------------------------------------------------------

-- Keeps the text until the transaction ends, also from being pruned.
CREATE FUNCTION holdfast.insert_definition(definition uuid, its_text text, its_queues text[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp AS $$
BEGIN
    LOOP
        PERFORM FROM workflow_definition d WHERE d.id = definition FOR KEY SHARE;
        EXIT WHEN FOUND;
        INSERT INTO workflow_definition (id, text, queues) VALUES (definition, its_text, its_queues) ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

-- Another transaction has started a job under the same id meanwhile: the whole transaction is to be repeated.
CREATE FUNCTION holdfast.insert_jobs(
    ids uuid[], definitions uuid[], workflows text[], inputs text[], roots uuid[], parents uuid[], parent_steps integer[],
    parent_items integer[], depths integer[], retry_ofs uuid[], created timestamptz[], timeouts_us bigint[],
    states text[], opens integer[], faileds integer[], first_faileds integer[], starteds timestamptz[],
    finisheds timestamptz[], deadlines timestamptz[], cancel_codes text[], cancel_reasons text[], outputs text[],
    error_codes text[], error_messages text[], error_datas text[]
) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
    inserted bigint;
BEGIN
    INSERT INTO job (id, definition_id, workflow, input, root_id, parent_id, parent_step, parent_item, depth, retry_of,
                     created_at, timeout_us)
    SELECT * FROM unnest(ids, definitions, workflows, inputs, roots, parents, parent_steps, parent_items, depths, retry_ofs,
                         created, timeouts_us) AS g (id)
    ORDER BY g.id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted < cardinality(ids) THEN
        RAISE EXCEPTION 'a job was started twice at once' USING ERRCODE = 'serialization_failure';
    END IF;
    INSERT INTO job_progress (job_id, state, open_steps, failed_steps, first_failed, started_at, finished_at, deadline,
                              cancel_code, cancel_reason, output, error_code, error_message, error_data)
    SELECT * FROM unnest(ids, states, opens, faileds, first_faileds, starteds, finisheds, deadlines, cancel_codes,
                         cancel_reasons, outputs, error_codes, error_messages, error_datas);
END $$;

-- Submits tasks of steps that have no keys. Their ids are made for them in this very transaction, so that none is there before
-- (otherwise the insert is refused).
CREATE FUNCTION holdfast.submit_steps(ids uuid[], names text[], argses text[], specs text[], routes integer[],
                                      priorities integer[], policies text[], fail_unmatched boolean[],
                                      by_names boolean[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
    at timestamptz := holdfast.now();
BEGIN
    INSERT INTO task (id, name, args, spec, route_id, priority, run_at, policy, created_at, by_name)
    SELECT g.id, g.name, g.args, g.spec, g.route_id, g.priority, at, g.policy::jsonb, at, g.by_name
    FROM unnest(ids, names, argses, specs, routes, priorities, policies, by_names)
        AS g (id, name, args, spec, route_id, priority, policy, by_name);
    INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched)
    SELECT g.id, at, 0, g.route_id, g.priority, 0, 0, 0, g.fails_unmatched
    FROM unnest(ids, routes, priorities, fail_unmatched) AS g (id, route_id, priority, fails_unmatched);
END $$;

-- Called for the task of a step that was not accepted: the caller has to look closer.
CREATE FUNCTION holdfast.refuse_step(status text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the task of a step is refused: %', status USING ERRCODE = 'HF002';
END $$;

CREATE FUNCTION holdfast.save_jobs(
    ids uuid[], states text[], opens integer[], faileds integer[], first_faileds integer[], starteds timestamptz[],
    finisheds timestamptz[], deadlines timestamptz[], cancel_codes text[], cancel_reasons text[], outputs text[],
    error_codes text[], error_messages text[], error_datas text[]
) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE job_progress p
    SET state = g.state, open_steps = g.open_steps, failed_steps = g.failed_steps, first_failed = g.first_failed,
        started_at = g.started_at, finished_at = g.finished_at, deadline = g.deadline, cancel_code = g.cancel_code,
        cancel_reason = g.cancel_reason, output = g.output, error_code = g.error_code, error_message = g.error_message,
        error_data = g.error_data
    FROM unnest(ids, states, opens, faileds, first_faileds, starteds, finisheds, deadlines, cancel_codes, cancel_reasons,
                outputs, error_codes, error_messages, error_datas)
        AS g (id, state, open_steps, failed_steps, first_failed, started_at, finished_at, deadline, cancel_code,
              cancel_reason, output, error_code, error_message, error_data)
    WHERE p.job_id = g.id;
END $$;

CREATE FUNCTION holdfast.insert_steps(
    jobs uuid[], numbers integer[], items integer[], states text[], opens integer[], succeededs integer[],
    faileds integer[], skippeds integer[], begun integer[], under_ways integer[], tasks uuid[], children uuid[],
    readies timestamptz[], finisheds timestamptz[], wakes timestamptz[], vals text[], outputs text[],
    error_codes text[], error_messages text[], error_datas text[]
) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
BEGIN
    INSERT INTO step (job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id,
                      ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data)
    SELECT * FROM unnest(jobs, numbers, items, states, opens, succeededs, faileds, skippeds, begun, under_ways, tasks,
                         children, readies, finisheds, wakes, vals, outputs, error_codes, error_messages, error_datas);
END $$;

CREATE FUNCTION holdfast.save_steps(
    jobs uuid[], numbers integer[], items integer[], states text[], opens integer[], succeededs integer[],
    faileds integer[], skippeds integer[], begun integer[], under_ways integer[], tasks uuid[], children uuid[],
    readies timestamptz[], finisheds timestamptz[], wakes timestamptz[], vals text[], outputs text[],
    error_codes text[], error_messages text[], error_datas text[]
) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE step s
    SET state = g.state, open = g.open, succeeded = g.succeeded, failed = g.failed, skipped = g.skipped,
        begun_items = g.begun_items, under_way = g.under_way, task_id = g.task_id, child_id = g.child_id,
        ready_at = g.ready_at, finished_at = g.finished_at, wakes_at = g.wakes_at, value = g.value, output = g.output,
        error_code = g.error_code, error_message = g.error_message, error_data = g.error_data
    FROM unnest(jobs, numbers, items, states, opens, succeededs, faileds, skippeds, begun, under_ways, tasks, children,
                readies, finisheds, wakes, vals, outputs, error_codes, error_messages, error_datas)
        AS g (job_id, step, item, state, open, succeeded, failed, skipped, begun_items, under_way, task_id, child_id,
              ready_at, finished_at, wakes_at, value, output, error_code, error_message, error_data)
    WHERE s.job_id = g.job_id AND s.step = g.step AND s.item = g.item;
END $$;

-- Pausing and resuming ----------------------------------------------------------------------------------------------

-- Takes the tasks of these jobs out of reach: PENDING ones wait for 'job', and leases that have not started are to be
-- handed back, because their start will be answered with 'withdrawn'. It waits for claims that are under way, which never
-- wait for a tree; but not for others who hold a lease, because they may: see hold_leases().
CREATE FUNCTION holdfast.hold_tasks(jobs uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    tasks uuid[] := ARRAY(SELECT s.task_id FROM step s WHERE s.job_id = ANY (jobs) AND s.task_id IS NOT NULL
                          AND s.state IN ('READY', 'RUNNING') ORDER BY s.task_id);
    routes integer[];
    keys text[];
    more_routes integer[];
    more_keys text[];
BEGIN
    LOOP
        UPDATE waiting w SET why = 'job' FROM unnest(tasks) AS g (id) WHERE w.task_id = g.id AND w.why IN ('future', 'key');
        WITH gone AS (
            DELETE FROM ready r USING unnest(tasks) AS g (id) WHERE r.task_id = g.id RETURNING r.*
        ), parked AS (
            INSERT INTO waiting
            SELECT g.task_id, g.run_at, g.deadline, g.last_lease, g.route_id, g.priority, g.attempts, g.crashes, g.requeues,
                   g.fails_unmatched, g.concurrency_key, 'job'
            FROM gone g
        )
        SELECT array_agg(g.route_id), array_agg(g.concurrency_key) INTO more_routes, more_keys
        FROM gone g WHERE g.concurrency_key IS NOT NULL;
        routes := routes || more_routes;
        keys := keys || more_keys;
        -- A claim that was under way may have moved one from `waiting` to `ready` while this waited for its row.
        EXIT WHEN NOT EXISTS (SELECT FROM unnest(tasks) AS g (id) JOIN ready r ON r.task_id = g.id)
              AND NOT EXISTS (SELECT FROM unnest(tasks) AS g (id) JOIN waiting w ON w.task_id = g.id
                              WHERE w.why IN ('future', 'key'));
    END LOOP;
    tasks := ARRAY(SELECT l.task_id FROM lease l
                   WHERE l.task_id = ANY (tasks) AND l.started_at IS NULL AND l.stop_requested IS NULL
                   ORDER BY l.task_id FOR UPDATE SKIP LOCKED);
    UPDATE lease l SET stop_requested = 'pause' FROM unnest(tasks) AS g (id) WHERE l.task_id = g.id;
    IF keys IS NOT NULL THEN PERFORM unpark(routes, keys); END IF;
END $$;

-- Puts what hold_tasks() took away back to where its time says. What another transaction has locked is being ended or handed back
-- by them.
CREATE FUNCTION holdfast.release_tasks(jobs uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    at timestamptz := holdfast.now();
    tasks uuid[] := ARRAY(SELECT s.task_id FROM step s WHERE s.job_id = ANY (jobs) AND s.task_id IS NOT NULL
                          AND s.state IN ('READY', 'RUNNING') ORDER BY s.task_id);
BEGIN
    tasks := ARRAY(SELECT l.task_id FROM lease l WHERE l.task_id = ANY (tasks) AND l.stop_requested = 'pause'
                   ORDER BY l.task_id FOR UPDATE SKIP LOCKED)
             || ARRAY(SELECT w.task_id FROM waiting w WHERE w.task_id = ANY (tasks) AND w.why = 'job'
                      ORDER BY w.task_id FOR UPDATE SKIP LOCKED);
    UPDATE lease l SET stop_requested = NULL FROM unnest(tasks) AS g (id) WHERE l.task_id = g.id AND l.stop_requested = 'pause';
    UPDATE waiting w SET why = 'future' FROM unnest(tasks) AS g (id) WHERE w.task_id = g.id AND w.why = 'job' AND w.run_at > at;
    WITH gone AS (
        DELETE FROM waiting w USING unnest(tasks) AS g (id) WHERE w.task_id = g.id AND w.why = 'job' RETURNING w.*
    )
    INSERT INTO ready
    SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched,
           concurrency_key
    FROM gone;
END $$;

-- Once a pause is committed: marks the leases that hold_tasks() found locked, and waits for the starts that they were locked
-- for. It holds no tree, so that it may wait for the holder of a lease.
CREATE FUNCTION holdfast.hold_leases(jobs uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    roots uuid[] := ARRAY(SELECT DISTINCT j.root_id FROM job j WHERE j.id = ANY (jobs));
    members uuid[] := roots || ARRAY(SELECT j.id FROM job j WHERE j.root_id = ANY (roots) AND j.parent_id IS NOT NULL);
    tasks uuid[] := ARRAY(SELECT s.task_id FROM job_progress p JOIN step s ON s.job_id = p.job_id
                          WHERE p.job_id = ANY (members) AND p.state = 'PAUSED' AND s.task_id IS NOT NULL
                            AND s.state IN ('READY', 'RUNNING'));
BEGIN
    tasks := ARRAY(SELECT l.task_id FROM lease l WHERE l.task_id = ANY (tasks) AND l.started_at IS NULL
                   ORDER BY l.task_id FOR UPDATE);
    UPDATE lease l SET stop_requested = 'pause' FROM unnest(tasks) AS g (id)
    WHERE l.task_id = g.id AND l.started_at IS NULL AND l.stop_requested IS NULL;
END $$;

-- What the sweep looks for --------------------------------------------------------------------------------------------

-- Tasks in the trees of these jobs that are to be cancelled, because their jobs are, and have not been told; by id.
CREATE FUNCTION holdfast.tasks_to_cancel(jobs uuid[], after uuid, at_most integer)
RETURNS TABLE (task_id uuid, reason text) LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    roots uuid[] := ARRAY(SELECT DISTINCT j.root_id FROM job j WHERE j.id = ANY (jobs));
    members uuid[] := roots || ARRAY(SELECT j.id FROM job j WHERE j.root_id = ANY (roots) AND j.parent_id IS NOT NULL);
BEGIN
    RETURN QUERY SELECT s.task_id, p.cancel_reason
    FROM job_progress p JOIN step s ON s.job_id = p.job_id
    WHERE p.job_id = ANY (members) AND p.cancel_code IS NOT NULL AND p.state IN ('PENDING', 'RUNNING', 'PAUSED')
      AND s.task_id > after AND s.state IN ('READY', 'RUNNING')
      AND NOT EXISTS (SELECT FROM ending e WHERE e.task_id = s.task_id)
      AND NOT EXISTS (SELECT FROM lease l WHERE l.task_id = s.task_id AND l.stop_requested = 'cancel')
    ORDER BY s.task_id LIMIT at_most;
END $$;

-- Jobs of these that are PAUSED with tasks in reach, and jobs that are not with tasks that wait for them all the same.
CREATE FUNCTION holdfast.jobs_to_steer(ids uuid[]) RETURNS TABLE (job_id uuid, is_paused boolean, tasks bigint)
    LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT p.job_id, p.state = 'PAUSED', count(*)
    FROM job_progress p JOIN step s ON s.job_id = p.job_id
    LEFT JOIN ready r ON r.task_id = s.task_id
    LEFT JOIN waiting w ON w.task_id = s.task_id
    LEFT JOIN lease l ON l.task_id = s.task_id AND l.started_at IS NULL
    WHERE p.job_id = ANY (ids) AND p.state IN ('PENDING', 'RUNNING', 'PAUSED') AND s.task_id IS NOT NULL
      AND s.state IN ('READY', 'RUNNING')
      AND CASE WHEN p.state = 'PAUSED' THEN r.task_id IS NOT NULL OR w.why IN ('future', 'key')
                                            OR l.task_id IS NOT NULL AND l.stop_requested IS NULL
               ELSE w.why = 'job' OR l.stop_requested = 'pause' END
    GROUP BY p.job_id, p.state
$$;

-- Waits and approvals whose time has come; by that.
CREATE FUNCTION holdfast.due_waits(at_most integer) RETURNS TABLE (job_id uuid, step integer, item integer)
    LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT s.job_id, s.step, s.item FROM step s WHERE s.wakes_at IS NOT NULL AND s.wakes_at <= holdfast.now()
    ORDER BY s.wakes_at LIMIT at_most
$$;

-- Locks those of the jobs' trees that no other transaction holds, and answers which of the jobs are in these.
CREATE FUNCTION holdfast.lock_idle_trees(jobs uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    roots uuid[] := ARRAY(SELECT DISTINCT j.root_id FROM job j WHERE j.id = ANY (jobs));
BEGIN
    roots := ARRAY(SELECT p.job_id FROM job_progress p WHERE p.job_id = ANY (roots) ORDER BY p.job_id FOR UPDATE SKIP LOCKED);
    RETURN QUERY SELECT j.id FROM job j WHERE j.id = ANY (jobs) AND j.root_id = ANY (roots);
END $$;

-- Jobs whose deadline has passed; by that.
CREATE FUNCTION holdfast.overdue_jobs(at_most integer) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off
    SET enable_bitmapscan = off AS $$
    SELECT p.job_id FROM job_progress p WHERE p.deadline IS NOT NULL AND p.deadline <= holdfast.now()
    ORDER BY p.deadline LIMIT at_most
$$;

-- The tasks of a PENDING job that have begun to run all the same: see begin_jobs().
CREATE FUNCTION holdfast.started_tasks(of_job uuid) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT s.task_id FROM job_progress p JOIN step s ON s.job_id = p.job_id
    WHERE p.job_id = of_job AND p.state = 'PENDING' AND s.state = 'READY' AND s.task_id IS NOT NULL
      AND (EXISTS (SELECT FROM lease l WHERE l.task_id = s.task_id AND l.started_at IS NOT NULL)
           OR EXISTS (SELECT FROM attempt a WHERE a.task_id = s.task_id))
$$;

-- Jobs at the top that have not ended, by id.
CREATE FUNCTION holdfast.open_roots(after uuid, at_most integer) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
    SELECT p.job_id FROM job_progress p JOIN job j ON j.id = p.job_id
    WHERE p.state IN ('PENDING', 'RUNNING', 'PAUSED') AND p.job_id > after AND j.parent_id IS NULL
    ORDER BY p.job_id LIMIT at_most
$$;

-- Pruning -------------------------------------------------------------------------------------------------------------

-- Jobs at the top that ended before then, without a task (of a hook) that has not.
CREATE FUNCTION holdfast.old_jobs(before timestamptz, below uuid, at_most integer) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
    SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id
    WHERE j.id < below AND j.parent_id IS NULL AND p.state IN ('COMPLETED', 'FAILED', 'CANCELLED') AND p.finished_at < before
      AND NOT EXISTS (SELECT FROM tree_of(j.id) t JOIN step s ON s.job_id = t.id
                      WHERE s.task_id IS NOT NULL AND s.state IN ('READY', 'RUNNING')
                        AND NOT EXISTS (SELECT FROM ending e WHERE e.task_id = s.task_id))
    ORDER BY j.id LIMIT at_most
$$;

-- Deletes trees, with the tasks of their steps; at most so many steps, so that of a large tree a part may go. Answers how
-- many trees are gone whole.
CREATE FUNCTION holdfast.delete_trees(roots uuid[], at_most integer) RETURNS integer LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    trees integer := 0;
    room integer := at_most;
    removed integer;
    tasks uuid[];
    root uuid;
    member uuid;
BEGIN
    FOREACH root IN ARRAY roots LOOP
        FOR member IN SELECT t.id FROM tree_of(root) t LOOP
            WITH first AS MATERIALIZED (
                SELECT s.step, s.item FROM step s WHERE s.job_id = member ORDER BY s.step, s.item LIMIT room
            ), gone AS (
                DELETE FROM step s USING first f WHERE s.job_id = member AND s.step = f.step AND s.item = f.item
                RETURNING s.task_id
            )
            SELECT count(*), array_agg(g.task_id) FILTER (WHERE g.task_id IS NOT NULL) INTO removed, tasks FROM gone g;
            PERFORM delete_tasks(tasks);
            room := room - removed;
            IF EXISTS (SELECT FROM step s WHERE s.job_id = member) THEN RETURN trees; END IF;
            DELETE FROM event e WHERE e.job_id = member AND NOT e.is_order;
            DELETE FROM job_progress p WHERE p.job_id = member;
            DELETE FROM job j WHERE j.id = member;
        END LOOP;
        trees := trees + 1;
    END LOOP;
    RETURN trees;
END $$;

-- Deletes ended tasks, with all that is kept about them.
CREATE FUNCTION holdfast.delete_tasks(tasks uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM ending e WHERE e.task_id = ANY (tasks);
    DELETE FROM attempt a WHERE a.task_id = ANY (tasks);
    DELETE FROM progress p WHERE p.task_id = ANY (tasks);
    DELETE FROM log l WHERE l.task_id = ANY (tasks);
    DELETE FROM event e WHERE e.task_id = ANY (tasks) AND NOT e.is_order;
    DELETE FROM task t WHERE t.id = ANY (tasks);
END $$;

-- Deletes definitions that no job uses. Looked at again once they are locked, because a job may have been started meanwhile.
CREATE FUNCTION holdfast.delete_unused_definitions(at_most integer) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    unused uuid[] := ARRAY(SELECT d.id FROM workflow_definition d
                           WHERE NOT EXISTS (SELECT FROM job j WHERE j.definition_id = d.id)
                           LIMIT at_most FOR UPDATE SKIP LOCKED);
BEGIN
    DELETE FROM workflow_definition d WHERE d.id = ANY (unused)
        AND NOT EXISTS (SELECT FROM job j WHERE j.definition_id = d.id);
END $$;

-- For lists by queue and by worker: one that is rare is found among any number of others.
CREATE INDEX task_route ON holdfast.task (route_id, id);
CREATE INDEX ending_worker ON holdfast.ending (worker_id, task_id) WHERE worker_id IS NOT NULL;

-- The ids of tasks of some routes, newest first, as list_ids() has them; of_state: how they ended, '' for any state. By pairs,
-- because the planner would think little of a range of ids, and go through all of them. Once the page is full, further routes
-- are only asked for newer tasks.
CREATE FUNCTION holdfast.list_routed(routes integer[], lowest uuid, highest uuid, of_name text, of_worker uuid, of_state text,
                                     at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
    SET enable_bitmapscan = off AS $$
DECLARE
    of_route integer;
    page uuid[] := '{}';
    more uuid[];
BEGIN
    FOREACH of_route IN ARRAY routes LOOP
        more := ARRAY(
            SELECT t.id FROM task t LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id
            WHERE (t.route_id, t.id) BETWEEN (of_route, lowest) AND (of_route, highest) AND (of_name = '' OR t.name = of_name)
              AND (of_worker IS NULL OR coalesce(e.worker_id, l.worker_id) = of_worker)
              AND (of_state = '' OR e.state = of_state)
            ORDER BY t.route_id DESC, t.id DESC LIMIT at_most);
        IF cardinality(more) > 0 THEN
            page := ARRAY(SELECT p.id FROM unnest(page || more) AS p (id) ORDER BY p.id DESC LIMIT at_most);
            IF cardinality(page) >= at_most THEN lowest := page[at_most]; END IF;
        END IF;
    END LOOP;
    RETURN QUERY SELECT p.id FROM unnest(page) AS p (id);
END $$;

-- The same of one queue.
CREATE FUNCTION holdfast.list_queued(of_queue text, lowest uuid, highest uuid, of_name text, of_worker uuid, of_state text,
                                     at_most integer) RETURNS SETOF uuid LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp AS $$
    SELECT list_routed(ARRAY(SELECT r.id FROM route r WHERE r.queue = of_queue), lowest, highest, of_name, of_worker, of_state,
                       at_most)
$$;

-- The routes of tasks of the function with this name, in a queue ('': any): see task.by_name.
CREATE FUNCTION holdfast.routes_named(of_name text, of_queue text) RETURNS integer[] LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp AS $$
    SELECT ARRAY(SELECT r.id FROM route r WHERE 'task:' || of_name = ANY (r.tags) AND (of_queue = '' OR r.queue = of_queue))
$$;

-- The same of one name.
CREATE FUNCTION holdfast.list_named(of_name text, lowest uuid, highest uuid, of_queue text, of_worker uuid, of_state text,
                                    at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
    SET enable_bitmapscan = off AS $$
DECLARE
    of_routes integer[] := ARRAY(SELECT r.id FROM route r WHERE r.queue = of_queue);
BEGIN
    RETURN QUERY SELECT t.id FROM task t LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id
    WHERE (t.name, t.id) BETWEEN (of_name, lowest) AND (of_name, highest) AND t.by_name
      AND (of_queue = '' OR t.route_id = ANY (of_routes))
      AND (of_worker IS NULL OR coalesce(e.worker_id, l.worker_id) = of_worker) AND (of_state = '' OR e.state = of_state)
    ORDER BY t.name DESC, t.id DESC LIMIT at_most;
    RETURN QUERY SELECT list_routed(routes_named(of_name, of_queue), lowest, highest, of_name, of_worker, of_state, at_most);
END $$;

-- The same of one worker: of its leases, and of what it ran last.
CREATE FUNCTION holdfast.list_worked(of_worker uuid, lowest uuid, highest uuid, of_name text, of_queue text, of_state text,
                                     at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
    SET enable_bitmapscan = off AS $$
DECLARE
    of_routes integer[] := ARRAY(SELECT r.id FROM route r WHERE r.queue = of_queue);
BEGIN
    IF of_state = '' THEN
        RETURN QUERY SELECT x.task_id FROM lease x JOIN task t ON t.id = x.task_id
        WHERE x.task_id BETWEEN lowest AND highest AND x.worker_id = of_worker AND (of_name = '' OR t.name = of_name)
          AND (of_queue = '' OR x.route_id = ANY (of_routes))
        ORDER BY x.task_id DESC LIMIT at_most;
    END IF;
    RETURN QUERY SELECT x.task_id FROM ending x JOIN task t ON t.id = x.task_id
    WHERE (x.worker_id, x.task_id) BETWEEN (of_worker, lowest) AND (of_worker, highest) AND x.worker_id IS NOT NULL
      AND (of_name = '' OR t.name = of_name) AND (of_queue = '' OR t.route_id = ANY (of_routes))
      AND (of_state = '' OR x.state = of_state)
    ORDER BY x.worker_id DESC, x.task_id DESC LIMIT at_most;
END $$;

-- How many tasks a worker ended, or a name or a queue has; it counts no further than is asked. NULL or '': not asked. Tasks
-- of another name count, too, when they share the route of the name.
CREATE FUNCTION holdfast.count_up_to(at_most integer, of_worker uuid, of_name text, of_queue text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF of_worker IS NOT NULL THEN
        RETURN (SELECT count(*) FROM (SELECT 1 FROM ending x WHERE x.worker_id = of_worker LIMIT at_most) f);
    ELSIF of_name <> '' THEN
        RETURN (SELECT count(*) FROM (
            (SELECT 1 FROM task t WHERE t.name = of_name AND t.by_name LIMIT at_most)
            UNION ALL
            (SELECT 1 FROM unnest(routes_named(of_name, '')) AS r (id)
             CROSS JOIN LATERAL (SELECT 1 FROM task t WHERE t.route_id = r.id LIMIT at_most) x LIMIT at_most)
            LIMIT at_most) f);
    END IF;
    RETURN (SELECT count(*) FROM (
        SELECT 1 FROM route r CROSS JOIN LATERAL (SELECT 1 FROM task t WHERE t.route_id = r.id LIMIT at_most) x
        WHERE r.queue = of_queue LIMIT at_most) f);
END $$;

-- What is read by queues: see store::Queues -------------------------------------------------------------------------------

-- The definitions of which all tasks go to these queues.
CREATE FUNCTION holdfast.definitions_of(of_queues text[]) RETURNS uuid[] LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp AS $$
    SELECT ARRAY(SELECT d.id FROM workflow_definition d WHERE d.queues <> '{}' AND d.queues <@ of_queues)
$$;

-- Whether a line of history is about a task of these queues, or else about a job of which all tasks go to them.
CREATE FUNCTION holdfast.is_of_queues(of_queue text, of_task uuid, of_job uuid, of_queues text[]) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp AS $$
    SELECT CASE WHEN of_queue IS NOT NULL THEN of_queue = ANY (of_queues) WHEN of_task IS NOT NULL THEN false ELSE EXISTS (
        SELECT FROM job j JOIN workflow_definition d ON d.id = j.definition_id
        WHERE j.id = of_job AND d.queues <> '{}' AND d.queues <@ of_queues) END
$$;

-- Ids of jobs of some definitions, newest first, as list_jobs() has those of all.
CREATE FUNCTION holdfast.list_jobs_of(of_queues text[], of_states text[], of_workflow text, of_parent uuid,
                                      with_children boolean, lowest uuid, highest uuid, at_most integer)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
    SET enable_bitmapscan = off AS $$
BEGIN
    RETURN QUERY SELECT found.id FROM unnest(definitions_of(of_queues)) AS d (id) CROSS JOIN LATERAL (
        SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id
        WHERE (j.definition_id, j.id) BETWEEN (d.id, lowest) AND (d.id, highest)
          AND (cardinality(of_states) = 0 OR p.state = ANY (of_states)) AND (of_workflow = '' OR j.workflow = of_workflow)
          AND (CASE WHEN of_parent IS NULL THEN with_children OR j.parent_id IS NULL ELSE j.parent_id = of_parent END)
        ORDER BY j.definition_id DESC, j.id DESC LIMIT at_most) found
    ORDER BY found.id DESC LIMIT at_most;
END $$;

-- Of the tasks of these queues with the newest ids, those that ended since then; at_most is for each route, and is_last marks
-- the last that was looked at.
CREATE FUNCTION holdfast.recent_endings_of(of_queues text[], since timestamptz, at_most integer)
RETURNS TABLE (task_id uuid, state text, finished_at timestamptz, run_at timestamptz, started_at timestamptz, name text,
               is_last boolean) LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    of_route integer;
BEGIN
    FOR of_route IN SELECT r.id FROM route r WHERE r.queue = ANY (of_queues) LOOP
        RETURN QUERY SELECT * FROM (
            SELECT e.task_id, e.state::text, e.finished_at, e.run_at, e.started_at, t.name,
                   row_number() OVER (ORDER BY t.route_id DESC, t.id DESC) = at_most AS is_last
            FROM task t JOIN ending e ON e.task_id = t.id
            WHERE t.route_id = of_route
            ORDER BY t.route_id DESC, t.id DESC LIMIT at_most) f
        WHERE f.finished_at >= since OR f.is_last;
    END LOOP;
END $$;

-- Tasks of these queues: PENDING, CLAIMED, RUNNING, ended, FAILED, CANCELLED, EXPIRED.
CREATE FUNCTION holdfast.count_of(of_queues text[])
RETURNS TABLE (pending bigint, claimed bigint, running bigint, ended bigint, failed bigint, cancelled bigint, expired bigint)
    LANGUAGE plpgsql STABLE SET search_path = holdfast, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    of_routes integer[] := ARRAY(SELECT r.id FROM route r WHERE r.queue = ANY (of_queues));
BEGIN
    SELECT (SELECT count(*) FROM ready x WHERE x.route_id = ANY (of_routes))
             + (SELECT count(*) FROM waiting x WHERE x.route_id = ANY (of_routes)),
           count(*) FILTER (WHERE x.started_at IS NULL), count(*) FILTER (WHERE x.started_at IS NOT NULL)
    INTO pending, claimed, running FROM lease x WHERE x.route_id = ANY (of_routes);
    SELECT count(*) FILTER (WHERE x.state = 'FAILED'), count(*) FILTER (WHERE x.state = 'CANCELLED'),
           count(*) FILTER (WHERE x.state = 'EXPIRED')
    INTO failed, cancelled, expired
    FROM ending x JOIN task t ON t.id = x.task_id WHERE x.state <> 'COMPLETED' AND t.route_id = ANY (of_routes);
    ended := (SELECT count(*) FROM task t WHERE t.route_id = ANY (of_routes)) - pending - claimed - running;
    RETURN NEXT;
END $$;

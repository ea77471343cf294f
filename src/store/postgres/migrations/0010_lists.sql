-- For lists by queue and by worker: one that is rare is found among any number of others.
CREATE INDEX task_route ON holdfast.task (route_id, id);
CREATE INDEX ending_worker ON holdfast.ending (worker_id, task_id) WHERE worker_id IS NOT NULL;

-- The ids of tasks of one queue, newest first of each of its routes, as list_named() has those of one name.
CREATE FUNCTION holdfast.list_queued(of_queue text, lowest uuid, highest uuid, of_name text, of_worker uuid, of_state text,
                                     at_most integer) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off
    SET enable_bitmapscan = off AS $$
DECLARE
    of_route integer;
BEGIN
    FOR of_route IN SELECT r.id FROM route r WHERE r.queue = of_queue LOOP
        RETURN QUERY SELECT t.id FROM task t LEFT JOIN lease l ON l.task_id = t.id LEFT JOIN ending e ON e.task_id = t.id
        WHERE (t.route_id, t.id) BETWEEN (of_route, lowest) AND (of_route, highest) AND (of_name = '' OR t.name = of_name)
          AND (of_worker IS NULL OR coalesce(e.worker_id, l.worker_id) = of_worker) AND (of_state = '' OR e.state = of_state)
        ORDER BY t.route_id DESC, t.id DESC LIMIT at_most;
    END LOOP;
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

-- How many tasks a worker ended, or a name or a queue has; it counts no further than is asked. NULL or '': not asked.
CREATE FUNCTION holdfast.count_up_to(at_most integer, of_worker uuid, of_name text, of_queue text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    IF of_worker IS NOT NULL THEN
        RETURN (SELECT count(*) FROM (SELECT 1 FROM ending x WHERE x.worker_id = of_worker LIMIT at_most) f);
    ELSIF of_name <> '' THEN
        RETURN (SELECT count(*) FROM (SELECT 1 FROM task t WHERE t.name = of_name LIMIT at_most) f);
    END IF;
    RETURN (SELECT count(*) FROM (
        SELECT 1 FROM route r CROSS JOIN LATERAL (SELECT 1 FROM task t WHERE t.route_id = r.id LIMIT at_most) x
        WHERE r.queue = of_queue LIMIT at_most) f);
END $$;

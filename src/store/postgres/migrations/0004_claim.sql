-- Claiming: the one way from PENDING to CLAIMED, or to RUNNING for runners that are free.

-- Moves waiting tasks whose time has come into reach; at most so many. Answers when the next one of the routes is due.
CREATE FUNCTION holdfast.promote_due(routes integer[], at timestamptz, at_most integer) RETURNS timestamptz LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    next_due timestamptz;
    moved integer := 0;
BEGIN
    LOOP
        SELECT min(w.run_at) INTO next_due
        FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
            SELECT w.run_at FROM waiting w WHERE w.why = 'future' AND w.route_id = r.id ORDER BY w.run_at LIMIT 1) w;
        IF next_due IS NULL OR next_due > at OR moved >= at_most THEN RETURN next_due; END IF;
        WITH due AS (
            SELECT d.task_id FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
                SELECT w.task_id FROM waiting w WHERE w.why = 'future' AND w.route_id = r.id AND w.run_at <= at
                ORDER BY w.run_at LIMIT at_most FOR UPDATE SKIP LOCKED) d
            LIMIT at_most
        ), gone AS (
            DELETE FROM waiting w USING due WHERE w.task_id = due.task_id RETURNING w.*
        )
        INSERT INTO ready
        SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched,
               concurrency_key
        FROM gone;
        -- Due rows that another transaction has locked are being promoted by it.
        IF NOT FOUND THEN RETURN next_due; END IF;
        moved := moved + at_most;
    END LOOP;
END $$;

-- What lock_next() answers.
CREATE TYPE holdfast.locked_next AS (
    after_priority integer, after_run_at timestamptz, after_task uuid, places tid[], full_places tid[], whole boolean);

-- Locks the next tasks of several routes, by priority, run_at and id over all of them: as many as make `wanted` grants,
-- and those before and between them that cannot be granted; at most `budget` of both. It looks first, without locks, a
-- chunk ahead in each route; then locks exactly what it picked, passing by what others have locked. `full_places`: their
-- keys looked full. `whole`: it has looked at everything there is; `after_*` is where the next call goes on.
CREATE FUNCTION holdfast.lock_next(
    routes integer[], wanted integer, budget integer, chunk integer, with_keys boolean, at timestamptz,
    INOUT after_priority integer, INOUT after_run_at timestamptz, INOUT after_task uuid,
    OUT places tid[], OUT full_places tid[], OUT whole boolean
) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
BEGIN
    WITH ahead AS MATERIALIZED (
        SELECT s.* FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
            SELECT r1.ctid AS place, r1.task_id, r1.priority, r1.run_at, r1.deadline, r1.route_id, r1.concurrency_key AS key,
                   row_number() OVER (ORDER BY r1.priority, r1.run_at, r1.task_id) AS depth
            FROM ready r1
            WHERE r1.route_id = r.id AND r1.concurrency_key IS NULL
              AND (r1.priority, r1.run_at, r1.task_id) > (after_priority, after_run_at, after_task)
            ORDER BY r1.priority, r1.run_at, r1.task_id LIMIT chunk) s
        UNION ALL
        SELECT s.* FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
            SELECT r2.ctid AS place, r2.task_id, r2.priority, r2.run_at, r2.deadline, r2.route_id, r2.concurrency_key AS key,
                   row_number() OVER (ORDER BY r2.priority, r2.run_at, r2.task_id) AS depth
            FROM ready r2
            WHERE with_keys AND r2.route_id = r.id AND r2.concurrency_key IS NOT NULL
              AND (r2.priority, r2.run_at, r2.task_id) > (after_priority, after_run_at, after_task)
            ORDER BY r2.priority, r2.run_at, r2.task_id LIMIT chunk) s
    ), edge AS MATERIALIZED (  -- as far as every route has been looked at
        SELECT a.priority, a.run_at, a.task_id FROM ahead a WHERE a.depth = chunk
        ORDER BY a.priority, a.run_at, a.task_id LIMIT 1
    ), owned AS MATERIALIZED (  -- and whose limit counts for those with a key
        SELECT a.*, CASE WHEN a.key IS NOT NULL THEN coalesce(
                   (SELECT c.queue FROM concurrency c WHERE c.key = a.key AND c.queue = ''),
                   (SELECT x.queue FROM route x WHERE x.id = a.route_id)) END AS owner
        FROM ahead a
        WHERE NOT EXISTS (SELECT FROM edge e WHERE (a.priority, a.run_at, a.task_id) > (e.priority, e.run_at, e.task_id))
    ), near AS MATERIALIZED (
        SELECT a.place, a.task_id, a.priority, a.run_at, a.key, a.owner, coalesce(a.deadline <= at, false) AS is_late,
               row_number() OVER same_key AS turn,
               CASE WHEN a.key IS NOT NULL AND row_number() OVER same_key = 1 THEN (
                   SELECT c.max_slots - CASE
                       WHEN c.queue = '' THEN (SELECT count(*) FROM slot s WHERE s.key = c.key)
                       ELSE (SELECT count(*) FROM slot s WHERE s.key = c.key AND s.queue = c.queue) END
                   FROM concurrency c WHERE c.key = a.key AND c.queue = a.owner) END AS free_slots  -- once per key
        FROM owned a
        WINDOW same_key AS (PARTITION BY a.key, a.owner ORDER BY a.priority, a.run_at, a.task_id)
    ), judged AS (
        SELECT n.*, coalesce(n.turn > max(n.free_slots) OVER (PARTITION BY n.key, n.owner), false) AND NOT n.is_late
                    AS is_full
        FROM near n
    ), counted AS (
        SELECT j.*, count(*) FILTER (WHERE NOT j.is_late AND NOT j.is_full) OVER before AS grants_before,
               count(*) FILTER (WHERE j.is_late AND j.key IS NOT NULL) OVER before AS calls_before
        FROM judged j
        WINDOW before AS (ORDER BY j.priority, j.run_at, j.task_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), picked AS MATERIALIZED (  -- up to a late task with a key: whom that calls forward is to be looked at before others
        SELECT c.place, c.task_id, c.priority, c.run_at, c.is_full FROM counted c
        WHERE c.grants_before < wanted AND c.calls_before = 0
        ORDER BY c.priority, c.run_at, c.task_id LIMIT budget
    ), locked AS MATERIALIZED (  -- by place, and by id in case the place has been used again since
        SELECT r.ctid AS place, p.is_full FROM picked p JOIN ready r ON r.ctid = p.place AND r.task_id = p.task_id
        FOR UPDATE OF r SKIP LOCKED
    )
    SELECT ARRAY(SELECT l.place FROM locked l WHERE NOT l.is_full), ARRAY(SELECT l.place FROM locked l WHERE l.is_full),
           NOT EXISTS (SELECT FROM edge) AND (SELECT count(*) FROM picked) = (SELECT count(*) FROM near),
           last.priority, last.run_at, last.task_id
    INTO places, full_places, whole, after_priority, after_run_at, after_task
    FROM (VALUES (1)) AS one
    LEFT JOIN (SELECT * FROM picked ORDER BY priority DESC, run_at DESC, task_id DESC LIMIT 1) last ON true;
END $$;

-- Parks locked ready rows whose keys are full, and answers whether all were: a slot may have become free since the last
-- look. The keys' rows stay locked until the transaction ends, so no slot is freed in between.
CREATE FUNCTION holdfast.park_full(places tid[]) RETURNS boolean LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    looked_at tid[];
    routes integer[];
    keys text[];
    locked record;
    full_owners text[];
    full_keys text[];
    parked bigint;
BEGIN
    SELECT array_agg(r.ctid), array_agg(r.route_id), array_agg(r.concurrency_key) INTO looked_at, routes, keys
    FROM ready r WHERE r.ctid = ANY (places);
    locked := lock_keys(routes, keys);
    SELECT array_agg(c.queue), array_agg(c.key) INTO full_owners, full_keys
    FROM unnest(locked.owners, locked.names) AS k (owner, key) JOIN concurrency c ON c.key = k.key AND c.queue = k.owner
    WHERE c.max_slots <= CASE
        WHEN c.queue = '' THEN (SELECT count(*) FROM slot s WHERE s.key = c.key)
        ELSE (SELECT count(*) FROM slot s WHERE s.key = c.key AND s.queue = c.queue) END;
    looked_at := ARRAY(
        SELECT g.place FROM unnest(looked_at, key_owners(routes, keys), keys) AS g (place, owner, key)
        WHERE EXISTS (SELECT FROM unnest(full_owners, full_keys) AS f (owner, key) WHERE f.owner = g.owner AND f.key = g.key));
    WITH gone AS (
        DELETE FROM ready r WHERE r.ctid = ANY (looked_at) RETURNING r.*
    )
    INSERT INTO waiting
    SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched,
           concurrency_key, 'key'
    FROM gone;
    GET DIAGNOSTICS parked = ROW_COUNT;
    RETURN parked = cardinality(places);
END $$;

-- Moves locked ready rows into leases, in the order of claims. Tasks past their deadline and tasks whose key is full
-- are parked instead. Answers how many leases there are, and their numbers.
CREATE FUNCTION holdfast.take(claimer uuid, places tid[], for_start boolean, at timestamptz,
                              OUT taken integer, OUT lowest bigint, OUT highest bigint) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    late_routes integer[];
    late_keys text[];
    mixed holdfast.ready[];
    admitted uuid[];
BEGIN
    WITH gone AS (
        DELETE FROM ready r WHERE r.ctid = ANY (places) RETURNING r.*
    ), late AS (
        INSERT INTO waiting
        SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched,
               concurrency_key, 'overdue'
        FROM gone g WHERE g.deadline <= at
        RETURNING route_id, concurrency_key
    ), plain AS (
        INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, run_at, deadline, route_id, priority,
                           attempts, crashes, requeues, fails_unmatched)
        SELECT task_id, nextval('holdfast.lease_number'), claimer, at, CASE WHEN for_start THEN at END, run_at, deadline,
               route_id, priority, attempts, crashes, requeues, fails_unmatched
        FROM (SELECT * FROM gone g
              WHERE NOT coalesce(g.deadline <= at, false)
                AND NOT EXISTS (SELECT FROM gone k WHERE k.concurrency_key IS NOT NULL)
              ORDER BY g.priority, g.run_at, g.task_id) g
        RETURNING lease
    )
    SELECT p.n, p.lowest, p.highest,
           (SELECT array_agg(l.route_id) FROM late l WHERE l.concurrency_key IS NOT NULL),
           (SELECT array_agg(l.concurrency_key) FROM late l WHERE l.concurrency_key IS NOT NULL),
           CASE WHEN EXISTS (SELECT FROM gone k WHERE k.concurrency_key IS NOT NULL) THEN
               ARRAY(SELECT ROW (g.*)::ready FROM gone g WHERE NOT coalesce(g.deadline <= at, false)) END
    INTO taken, lowest, highest, late_routes, late_keys, mixed
    FROM (SELECT count(*) AS n, min(lease) AS lowest, max(lease) AS highest FROM plain) p;

    IF mixed IS NOT NULL THEN  -- some have keys: who gets a slot is decided before anybody gets a lease
        SELECT take_slots(array_agg(m.task_id), array_agg(m.route_id), array_agg(m.concurrency_key)) INTO admitted
        FROM (SELECT * FROM unnest(mixed) ORDER BY priority, run_at, task_id) m WHERE m.concurrency_key IS NOT NULL;
        INSERT INTO waiting
        SELECT m.*, 'key' FROM unnest(mixed) m
        WHERE m.concurrency_key IS NOT NULL AND NOT m.task_id = ANY (coalesce(admitted, '{}'));
        WITH granted AS (
            INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, run_at, deadline, route_id, priority,
                               attempts, crashes, requeues, fails_unmatched, concurrency_key)
            SELECT task_id, nextval('holdfast.lease_number'), claimer, at, CASE WHEN for_start THEN at END, run_at,
                   deadline, route_id, priority, attempts, crashes, requeues, fails_unmatched, concurrency_key
            FROM (SELECT * FROM unnest(mixed) ORDER BY priority, run_at, task_id) m
            WHERE m.concurrency_key IS NULL OR m.task_id = ANY (admitted)
            RETURNING lease
        )
        SELECT count(*), min(g.lease), max(g.lease) INTO taken, lowest, highest FROM granted g;
    END IF;
    IF late_keys IS NOT NULL THEN PERFORM unpark(late_routes, late_keys); END IF;
END $$;

-- Takes up to `wanted` tasks of the routes, by priority, run_at and id over all of them. What is parked on the way costs
-- budget, too; `cut_short`: there may be more, because the budget ran out or a slot became free meanwhile.
CREATE FUNCTION holdfast.pop(
    claimer uuid, routes integer[], wanted integer, for_start boolean, at timestamptz,
    INOUT budget integer, INOUT lowest bigint, INOUT highest bigint, OUT cut_short boolean
) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
    -- One route and no keys, the most frequent case, needs no merging.
    is_alone boolean := wanted > 0 AND cardinality(routes) = 1 AND NOT (for_start AND EXISTS (
        SELECT FROM ready r WHERE r.route_id = routes[1] AND r.concurrency_key IS NOT NULL));
    chunk integer := greatest(16, 2 * wanted / cardinality(routes));
    size integer;
    next holdfast.locked_next;
    got record;
BEGIN
    cut_short := false;
    next := (0, '-infinity', '00000000-0000-0000-0000-000000000000', NULL, '{}', true);
    WHILE wanted > 0 LOOP
        IF budget <= 0 THEN
            cut_short := true;
            EXIT;
        END IF;
        IF is_alone THEN
            size := least(wanted, budget);
            next.places := ARRAY(
                SELECT r.ctid FROM ready r WHERE r.route_id = routes[1] AND r.concurrency_key IS NULL
                ORDER BY r.priority, r.run_at, r.task_id LIMIT size FOR UPDATE SKIP LOCKED);
            next.whole := cardinality(next.places) < size;
        ELSE
            next := lock_next(routes, wanted, budget, chunk, for_start, at, next.after_priority, next.after_run_at,
                              next.after_task);
            chunk := least(chunk * 4, budget);
        END IF;
        got := take(claimer, next.places, for_start, at);
        lowest := least(lowest, got.lowest);
        highest := greatest(highest, got.highest);
        wanted := wanted - got.taken;
        IF next.full_places <> '{}' AND NOT park_full(next.full_places) THEN cut_short := true; END IF;
        budget := budget - cardinality(next.places) - cardinality(next.full_places);
        EXIT WHEN next.whole;
    END LOOP;
END $$;

-- Claims for a worker. `stale`: the caller's idea of the worker's routes is out of date, nothing was done. `look_first`:
-- lock and write nothing when there is nothing, as an idle worker should; it costs the others a look. The tasks themselves
-- are read with holdfast.claimed(), in the same transaction. `seen_*`: the highest lease that the worker has seen, and under
-- which rank; see hear_witness().
CREATE FUNCTION holdfast.claim(
    claimer uuid, request_id uuid, to_start integer, to_hold integer, budget integer,
    known_queues text[], known_tags text[], known_routes bigint, routes integer[], look_first boolean,
    seen_rank bigint, seen_lease bigint,
    OUT refusal text, OUT stale boolean, OUT next_due_us bigint, OUT more boolean
) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
#variable_conflict use_variable
DECLARE
    at timestamptz := holdfast.now();
    w record;
    next_due timestamptz;
    has_work boolean;
    last_request uuid;
    started record;
    held record;
BEGIN
    stale := false;
    more := false;
    IF seen_lease > (SELECT n.last_value - (NOT n.is_called)::integer FROM lease_number n) THEN
        PERFORM hear_witness(seen_rank, seen_lease);
    END IF;
    SELECT x.status, x.cordoned,
           x.queues = known_queues AND x.tags = known_tags AND (SELECT count(*) FROM route) = known_routes AS is_as_known,
           EXISTS (SELECT FROM claim c WHERE c.worker_id = claimer AND c.request = request_id) AS asks_again,
           EXISTS (SELECT FROM queue q WHERE q.paused) AS some_paused
    INTO w FROM worker x WHERE x.id = claimer;
    -- What was granted is told again whatever has become of the worker: it would not learn of its leases otherwise.
    refusal := CASE WHEN NOT FOUND THEN 'unknown' WHEN w.asks_again THEN NULL
                    WHEN w.status <> 'active' THEN 'not_active' WHEN w.cordoned THEN 'cordoned' END;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    stale := NOT w.is_as_known;
    IF stale THEN RETURN; END IF;

    IF w.some_paused THEN
        routes := ARRAY(SELECT r.id FROM route r WHERE r.id = ANY (routes)
                        AND NOT EXISTS (SELECT FROM queue q WHERE q.name = r.queue AND q.paused) ORDER BY r.id);
    END IF;
    IF cardinality(routes) = 0 THEN RETURN; END IF;
    SELECT min(f.run_at) INTO next_due
    FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
        SELECT x.run_at FROM waiting x WHERE x.why = 'future' AND x.route_id = r.id ORDER BY x.run_at LIMIT 1) f;
    IF next_due <= at AND NOT w.asks_again THEN next_due := promote_due(routes, at, 1000); END IF;
    IF next_due IS NOT NULL THEN
        next_due_us := greatest(0, extract(epoch FROM next_due - at) * 1000000)::bigint;
    END IF;
    IF w.asks_again THEN RETURN; END IF;

    IF look_first THEN  -- (LIMIT 1 inside keeps it to one look per route.)
        SELECT EXISTS (
                   SELECT FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
                       SELECT FROM ready x WHERE x.route_id = r.id AND x.concurrency_key IS NULL
                       ORDER BY x.priority, x.run_at, x.task_id LIMIT 1) AS first)
               OR to_start > 0 AND EXISTS (
                   SELECT FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
                       SELECT FROM ready x WHERE x.route_id = r.id AND x.concurrency_key IS NOT NULL LIMIT 1) AS any_keyed)
        INTO has_work;
        IF NOT has_work THEN RETURN; END IF;
    END IF;

    -- Beats may come in between; a sweep that makes the worker inactive waits, and sees these leases.
    PERFORM FROM worker x WHERE x.id = claimer AND x.status = 'active' AND NOT x.cordoned FOR KEY SHARE;
    IF NOT FOUND THEN  -- (The same request may have been granted meanwhile, over a connection given up for lost.)
        IF NOT EXISTS (SELECT FROM claim c WHERE c.worker_id = claimer AND c.request = request_id) THEN
            refusal := 'not_active';
        END IF;
        RETURN;
    END IF;
    SELECT c.request INTO last_request FROM claim c WHERE c.worker_id = claimer FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO claim (worker_id, request, first_lease, last_lease)
        VALUES (claimer, '00000000-0000-0000-0000-000000000000', 1, 0) ON CONFLICT DO NOTHING;
        SELECT c.request INTO last_request FROM claim c WHERE c.worker_id = claimer FOR UPDATE;
    END IF;
    IF last_request = request_id THEN RETURN; END IF;

    started := pop(claimer, routes, to_start, true, at, budget, NULL, NULL);
    held := pop(claimer, routes, to_hold, false, at, started.budget, started.lowest, started.highest);
    -- Holding more for later is a bonus, not worth asking again.
    more := started.cut_short OR held.cut_short AND held.lowest IS NULL;
    IF started.lowest IS NOT NULL AND EXISTS (SELECT FROM job_progress p WHERE p.state = 'PENDING') THEN
        PERFORM begin_jobs(ARRAY(SELECT l.task_id FROM lease l WHERE l.worker_id = claimer
                                 AND l.lease BETWEEN started.lowest AND started.highest), at);
    END IF;
    IF held.lowest IS NOT NULL THEN
        UPDATE claim c SET request = request_id, first_lease = held.lowest, last_lease = held.highest
        WHERE c.worker_id = claimer;
    END IF;
END $$;

-- The leases of that request that the worker still holds, in the order in which they were handed out.
CREATE FUNCTION holdfast.claimed(claimer uuid, request_id uuid)
RETURNS TABLE (id uuid, lease bigint, started boolean, attempts integer, crashes integer, requeues integer,
               name text, args text, spec text, route_id integer, priority integer, run_at timestamptz,
               deadline timestamptz, policy text, concurrency_key text, concurrency_limit integer, idempotency_key text,
               retry_of uuid, checkpoint text) LANGUAGE sql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT l.task_id, l.lease, l.started_at IS NOT NULL, l.attempts, l.crashes, l.requeues,
           t.name, t.args, t.spec, t.route_id, t.priority, l.run_at, t.deadline, t.policy::text, t.concurrency_key,
           t.concurrency_limit, t.idempotency_key, t.retry_of, p.checkpoint
    FROM claim c
    JOIN lease l ON l.worker_id = c.worker_id AND l.lease BETWEEN c.first_lease AND c.last_lease
    JOIN task t ON t.id = l.task_id
    LEFT JOIN progress p ON p.task_id = l.task_id
    WHERE c.worker_id = claimer AND c.request = request_id
    ORDER BY l.lease
$$;

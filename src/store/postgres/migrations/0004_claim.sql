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
-- are parked instead. Answers how many leases there are, and their numbers. Runs with the settings of turn().
-- are_plain: none of them has a key.
CREATE FUNCTION holdfast.take(claimer uuid, places tid[], for_start boolean, at timestamptz, are_plain boolean,
                              OUT taken integer, OUT lowest bigint, OUT highest bigint) LANGUAGE plpgsql AS $$
DECLARE
    late_routes integer[];
    late_keys text[];
    mixed holdfast.ready[];
    admitted uuid[];
BEGIN
    IF are_plain THEN
        WITH gone AS (
            DELETE FROM ready r WHERE r.ctid = ANY (places) RETURNING r.*
        ), late AS (
            INSERT INTO waiting
            SELECT task_id, run_at, deadline, last_lease, route_id, priority, attempts, crashes, requeues, fails_unmatched,
                   concurrency_key, 'overdue'
            FROM gone g WHERE g.deadline <= at
        ), granted AS (
            INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, run_at, deadline, route_id, priority,
                               attempts, crashes, requeues, fails_unmatched)
            SELECT task_id, nextval('holdfast.lease_number'), claimer, at, CASE WHEN for_start THEN at END, run_at, deadline,
                   route_id, priority, attempts, crashes, requeues, fails_unmatched
            FROM (SELECT * FROM gone g WHERE g.deadline IS NULL OR g.deadline > at
                  ORDER BY g.priority, g.run_at, g.task_id) g
            RETURNING lease
        )
        SELECT count(*), min(g.lease), max(g.lease) INTO taken, lowest, highest FROM granted g;
        RETURN;
    END IF;
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
        SELECT m.task_id, m.run_at, m.deadline, m.last_lease, m.route_id, m.priority, m.attempts, m.crashes, m.requeues,
               m.fails_unmatched, m.concurrency_key, 'key'
        FROM unnest(mixed) m
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

-- Where a claim goes on -------------------------------------------------------------------------------------------------
--
-- The index of ready tasks begins with those that were taken, until vacuum removes them; and vacuum cannot, as long as any
-- transaction has a snapshot from before. So a session remembers a position, and its claims never walk them again. A position
-- belongs to a set of routes. It has a mark per route and priority that had tasks, and the snapshot that had been `seen`:
--   every row that is or ever will be alive below its mark was put there by a transaction that `seen` does not see.
-- Rows of such transactions are found by `born`. A row that was deleted never comes back while the server runs. A position is
-- never wrong by age, only slower. It stands in the setting holdfast.position of the session, which a rollback restores, and
-- which is gone when the connection is. (Behind a pooler it belongs to the server's session, whoever uses it. It is text, so
-- turn() sets a style of dates that no time zone makes ambiguous.) It depends on the tables of this history of the store, and
-- on nothing else. A transaction puts nothing in reach after its claim.

CREATE TYPE holdfast.claim_mark AS (route_id integer, priority integer, run_at timestamptz, task_id uuid);

CREATE TYPE holdfast.claim_position AS (
    history uuid, of_table oid, routes integer[], marks holdfast.claim_mark[], seen pg_snapshot);

-- A position in use. late: rows below their marks, or without one, of transactions that `seen` does not see. late_taken: how
-- many of them this claim has locked. seen_now: a snapshot from before anything was read. places: rows that were locked last.
CREATE TYPE holdfast.claim_look AS (
    marks holdfast.claim_mark[], seen pg_snapshot, seen_now pg_snapshot, late tid[], late_taken integer, places tid[]);

-- The first row of every priority of these routes, as marks, in the order of claims. NULL: there are more than `at_most`.
CREATE FUNCTION holdfast.first_marks(routes integer[], at_most integer) RETURNS holdfast.claim_mark[] LANGUAGE plpgsql AS $$
DECLARE
    marks holdfast.claim_mark[] := '{}';
    mark holdfast.claim_mark;
    route integer;
BEGIN
    FOREACH route IN ARRAY routes LOOP
        mark := (route, -1, NULL, NULL);
        LOOP
            SELECT r.route_id, r.priority, r.run_at, r.task_id INTO mark FROM ready r
            WHERE r.route_id = route AND r.concurrency_key IS NULL AND r.priority > mark.priority
            ORDER BY r.priority, r.run_at, r.task_id LIMIT 1;
            EXIT WHEN NOT FOUND;
            IF cardinality(marks) = at_most THEN RETURN NULL; END IF;
            marks := marks || mark;
        END LOOP;
    END LOOP;
    RETURN ARRAY(SELECT m FROM unnest(marks) m ORDER BY m.priority, m.route_id);
END $$;

-- What a claim on these routes begins with. `known`: the position of the session. Without marks, because there would be too
-- many of them, a claim walks what it has to; whether there still are is looked at from time to time.
CREATE FUNCTION holdfast.begin_look(known holdfast.claim_position, routes integer[], at timestamptz)
RETURNS holdfast.claim_look LANGUAGE plpgsql AS $$
DECLARE
    look holdfast.claim_look;
    newest xid8;
    walked bigint;
    late_routes integer[];
    late_priorities integer[];
    most_walked constant integer := 10000;
    most_late constant integer := 1000;
    most_marks constant integer := 100;
    transactions_between_counts constant bigint := 10000;
    nil constant uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    look.seen_now := pg_current_snapshot();  -- before anything is read
    look.late := '{}';
    look.late_taken := 0;
    IF known.routes = routes AND known.marks IS NULL THEN
        IF pg_snapshot_xmax(look.seen_now)::text::bigint - pg_snapshot_xmax(known.seen)::text::bigint
               < transactions_between_counts THEN
            look.seen := known.seen;
            RETURN look;
        END IF;
    ELSIF known.routes = routes THEN
        look.seen := known.seen;
        look.marks := known.marks;
        -- Rows of this transaction count, too. One that claims to be of a later one came with a backup of another server, and
        -- was there before the position. (Shaped so that no planner takes another index than ready_born.)
        newest := greatest(pg_snapshot_xmax(look.seen_now), pg_current_xact_id_if_assigned());
        -- Most often there are none, and one look at the index tells, for a fifth of what the statement below costs. (In an
        -- EXISTS the planner would drop the order, and with it the reason to take ready_born.)
        IF NOT EXISTS (SELECT FROM pg_snapshot_xip(look.seen))
           AND (SELECT r.born FROM ready r WHERE r.born >= pg_snapshot_xmax(look.seen) AND r.born <= newest
                ORDER BY r.born LIMIT 1) IS NULL THEN
            RETURN look;
        END IF;
        -- Rows of other routes count as walked, so that no claim walks all that came for others since the last one.
        WITH newcomers AS MATERIALIZED (
            SELECT r.ctid AS place, r.route_id, r.priority, r.run_at, r.task_id, r.concurrency_key FROM ready r
            WHERE r.born >= pg_snapshot_xmax(look.seen) AND r.born <= newest
            ORDER BY r.born LIMIT most_walked
        ), overtaken AS MATERIALIZED (
            SELECT b.* FROM pg_snapshot_xip(look.seen) AS x (xid) CROSS JOIN LATERAL (
                SELECT r.ctid AS place, r.route_id, r.priority, r.run_at, r.task_id, r.concurrency_key FROM ready r
                WHERE r.born = x.xid
                ORDER BY r.born OFFSET 0) b
            LIMIT most_walked
        ), late AS (
            SELECT b.* FROM (SELECT * FROM newcomers UNION ALL SELECT * FROM overtaken) b
            WHERE b.concurrency_key IS NULL AND b.route_id = ANY (routes)
              AND NOT EXISTS (SELECT FROM unnest(look.marks) k WHERE k.route_id = b.route_id AND k.priority = b.priority
                              AND (k.run_at, k.task_id) <= (b.run_at, b.task_id))
            LIMIT most_late
        )
        SELECT (SELECT count(*) FROM newcomers) + (SELECT count(*) FROM overtaken), coalesce(array_agg(l.place), '{}'),
               array_agg(l.route_id), array_agg(l.priority)
        INTO walked, look.late, late_routes, late_priorities FROM late l;
        IF walked < most_walked AND cardinality(look.late) < most_late THEN
            IF late_routes IS NOT NULL THEN
                -- A priority that had no task gets a mark: whatever is in it is late.
                look.marks := ARRAY(
                    SELECT m FROM (
                        SELECT m FROM unnest(look.marks) m
                        UNION ALL
                        SELECT DISTINCT (l.route_id, l.priority, at, nil)::holdfast.claim_mark
                        FROM unnest(late_routes, late_priorities) AS l (route_id, priority)
                        WHERE NOT EXISTS (SELECT FROM unnest(look.marks) k
                                          WHERE k.route_id = l.route_id AND k.priority = l.priority)) AS all_marks (m)
                    ORDER BY (m).priority, (m).route_id);
            END IF;
            IF cardinality(look.marks) <= most_marks THEN RETURN look; END IF;
        END IF;
        look.late := '{}';
    END IF;
    look.marks := first_marks(routes, most_marks);
    look.seen := look.seen_now;
    RETURN look;
END $$;

-- Whether there is anything to lock. A look without marks has to try.
CREATE FUNCTION holdfast.sees_work(look holdfast.claim_look) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN look.marks IS NULL OR cardinality(look.late) > 0 OR EXISTS (
        SELECT FROM unnest(look.marks) k CROSS JOIN LATERAL (
            SELECT FROM ready r
            WHERE r.route_id = k.route_id AND r.concurrency_key IS NULL AND r.priority = k.priority
              AND (r.run_at, r.task_id) >= (k.run_at, k.task_id)
            ORDER BY r.run_at, r.task_id LIMIT 1) AS first);
END $$;

-- Locks up to `wanted` tasks without a key in the order of claims, passing by what others have locked.
CREATE FUNCTION holdfast.lock_plain(look holdfast.claim_look, wanted integer, at timestamptz) RETURNS holdfast.claim_look
LANGUAGE plpgsql AS $$
DECLARE
    first integer := 1;
    last integer;
    mark holdfast.claim_mark;
    next_run_at timestamptz;
    next_task uuid;
    more tid[];
    nil constant uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    look.places := '{}';
    WHILE first <= cardinality(look.marks) AND cardinality(look.places) < wanted LOOP
        mark := look.marks[first];
        last := first;
        WHILE last < cardinality(look.marks) AND look.marks[last + 1].priority = mark.priority LOOP last := last + 1; END LOOP;
        IF last > first THEN
            look := lock_merged(look, wanted, at, first, last);
        ELSE
            IF cardinality(look.late) > 0 THEN
                more := ARRAY(
                    SELECT r.ctid FROM ready r
                    WHERE r.ctid = ANY (look.late) AND r.route_id = mark.route_id AND r.concurrency_key IS NULL
                      AND r.priority = mark.priority AND (r.run_at, r.task_id) < (mark.run_at, mark.task_id)
                    ORDER BY r.run_at, r.task_id LIMIT wanted - cardinality(look.places) FOR UPDATE SKIP LOCKED);
                look.late_taken := look.late_taken + cardinality(more);
                look.places := look.places || more;
            END IF;
            IF cardinality(look.places) < wanted THEN
                -- The first row that is not gone for good, be it locked or not, becomes the mark.
                WITH ahead AS MATERIALIZED (
                    SELECT r.run_at, r.task_id FROM ready r
                    WHERE r.route_id = mark.route_id AND r.concurrency_key IS NULL AND r.priority = mark.priority
                      AND (r.run_at, r.task_id) >= (mark.run_at, mark.task_id)
                    ORDER BY r.run_at, r.task_id LIMIT 1
                )
                SELECT a.run_at, a.task_id, ARRAY(
                           SELECT r.ctid FROM ready r
                           WHERE r.route_id = mark.route_id AND r.concurrency_key IS NULL AND r.priority = mark.priority
                             AND (r.run_at, r.task_id) >= ((SELECT x.run_at FROM ahead x), (SELECT x.task_id FROM ahead x))
                           ORDER BY r.run_at, r.task_id LIMIT wanted - cardinality(look.places) FOR UPDATE SKIP LOCKED)
                INTO next_run_at, next_task, more FROM ahead a;
                IF FOUND THEN
                    look.marks[first] := (mark.route_id, mark.priority, next_run_at, next_task);
                    look.places := look.places || more;
                ELSIF mark.run_at < at THEN  -- none: whatever comes before this moment is late, and found as such
                    look.marks[first] := (mark.route_id, mark.priority, at, nil);
                END IF;
            END IF;
        END IF;
        first := last + 1;
    END LOOP;
    RETURN look;
END $$;

-- The same for one priority that several routes have tasks of: those with the marks from `first` to `last`. It looks first,
-- without locks; then locks exactly what it picked.
CREATE FUNCTION holdfast.lock_merged(look holdfast.claim_look, wanted integer, at timestamptz, first integer, last integer)
RETURNS holdfast.claim_look LANGUAGE plpgsql AS $$
DECLARE
    after_run_at timestamptz := '-infinity';
    after_task uuid := '00000000-0000-0000-0000-000000000000';
    picks bigint;
    more tid[];
    more_late bigint;
    size integer;
BEGIN
    look.marks[first:last] := ARRAY(
        SELECT CASE WHEN f.task_id IS NOT NULL THEN (k.route_id, k.priority, f.run_at, f.task_id)::holdfast.claim_mark
                    WHEN k.run_at < at THEN (k.route_id, k.priority, at, after_task)::holdfast.claim_mark
                    ELSE (k.route_id, k.priority, k.run_at, k.task_id)::holdfast.claim_mark END
        FROM unnest(look.marks[first:last]) k LEFT JOIN LATERAL (
            SELECT r.run_at, r.task_id FROM ready r
            WHERE r.route_id = k.route_id AND r.concurrency_key IS NULL AND r.priority = k.priority
              AND (r.run_at, r.task_id) >= (k.run_at, k.task_id)
            ORDER BY r.run_at, r.task_id LIMIT 1) f ON true
        ORDER BY k.route_id);
    LOOP
        size := wanted - cardinality(look.places);
        WITH marks AS MATERIALIZED (
            SELECT k.route_id, k.priority, k.run_at, k.task_id FROM unnest(look.marks[first:last]) k
        ), ahead AS MATERIALIZED (
            SELECT s.*, false AS is_late FROM marks k CROSS JOIN LATERAL (
                SELECT r.ctid AS place, r.task_id, r.run_at FROM ready r
                WHERE r.route_id = k.route_id AND r.concurrency_key IS NULL AND r.priority = k.priority
                  AND (r.run_at, r.task_id) >= (k.run_at, k.task_id) AND (r.run_at, r.task_id) > (after_run_at, after_task)
                ORDER BY r.run_at, r.task_id LIMIT size) s
            UNION ALL
            SELECT r.ctid, r.task_id, r.run_at, true FROM ready r
            WHERE r.ctid = ANY (look.late) AND r.concurrency_key IS NULL AND (r.run_at, r.task_id) > (after_run_at, after_task)
              AND EXISTS (SELECT FROM marks k WHERE k.route_id = r.route_id AND k.priority = r.priority
                          AND (r.run_at, r.task_id) < (k.run_at, k.task_id))
        ), picked AS MATERIALIZED (
            SELECT a.* FROM ahead a ORDER BY a.run_at, a.task_id LIMIT size
        ), locked AS MATERIALIZED (  -- by place, and by id in case the place has been used again since
            SELECT r.ctid AS place, p.is_late FROM picked p JOIN ready r ON r.ctid = p.place AND r.task_id = p.task_id
            FOR UPDATE OF r SKIP LOCKED
        )
        SELECT ARRAY(SELECT l.place FROM locked l), (SELECT count(*) FROM locked l WHERE l.is_late),
               (SELECT count(*) FROM picked), p.run_at, p.task_id
        INTO more, more_late, picks, after_run_at, after_task
        FROM (VALUES (1)) AS one LEFT JOIN (SELECT * FROM picked ORDER BY run_at DESC, task_id DESC LIMIT 1) p ON true;
        look.places := look.places || more;
        look.late_taken := look.late_taken + more_late;
        EXIT WHEN picks < size OR cardinality(look.places) >= wanted;
    END LOOP;
    RETURN look;
END $$;

-- The session remembers how far this look came. A late row that was not taken, because enough was found before it or because
-- another has locked it, becomes the mark of its priority: so nothing that has been seen is left below the marks. Without marks
-- the snapshot tells when they were counted.
CREATE FUNCTION holdfast.end_look(look holdfast.claim_look, history uuid, routes integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF look.late_taken < cardinality(look.late) THEN
        look.marks := ARRAY(
            WITH left_over AS MATERIALIZED (
                SELECT DISTINCT ON (r.route_id, r.priority) r.route_id, r.priority, r.run_at, r.task_id FROM ready r
                WHERE r.ctid = ANY (look.late) ORDER BY r.route_id, r.priority, r.run_at, r.task_id
            )
            SELECT (k.route_id, k.priority, coalesce(o.run_at, k.run_at), coalesce(o.task_id, k.task_id))::holdfast.claim_mark
            FROM unnest(look.marks) k LEFT JOIN left_over o ON o.route_id = k.route_id AND o.priority = k.priority
                AND (o.run_at, o.task_id) < (k.run_at, k.task_id)
            ORDER BY k.priority, k.route_id);
    END IF;
    PERFORM set_config('holdfast.position', (history, 'holdfast.ready'::regclass::oid, routes, look.marks,
        CASE WHEN look.marks IS NOT NULL THEN look.seen_now ELSE look.seen END)::holdfast.claim_position::text, false);
END $$;

-- What pop() answers.
CREATE TYPE holdfast.popped AS (
    look holdfast.claim_look, budget integer, lowest bigint, highest bigint, cut_short boolean);

-- Takes up to `wanted` tasks of the routes, by priority, run_at and id over all of them: with a look, which passes by tasks
-- with keys, or without one. What is parked on the way costs budget, too; `cut_short`: there may be more, because the budget
-- ran out or a slot became free meanwhile.
CREATE FUNCTION holdfast.pop(
    claimer uuid, routes integer[], wanted integer, for_start boolean, with_keys boolean, at timestamptz,
    look holdfast.claim_look, budget integer, lowest bigint, highest bigint
) RETURNS holdfast.popped LANGUAGE plpgsql AS $$
DECLARE
    cut_short boolean := false;
    chunk integer := greatest(16, 2 * wanted / cardinality(routes));
    size integer;
    next holdfast.locked_next;
    got record;
BEGIN
    next := (0, '-infinity', '00000000-0000-0000-0000-000000000000', NULL, '{}', true);
    WHILE wanted > 0 LOOP
        IF budget <= 0 THEN
            cut_short := true;
            EXIT;
        END IF;
        IF look.marks IS NOT NULL THEN
            size := least(wanted, budget);
            look := lock_plain(look, size, at);
            next.places := look.places;
            next.whole := cardinality(next.places) < size;
        ELSE
            next := lock_next(routes, wanted, budget, chunk, with_keys, at, next.after_priority, next.after_run_at,
                              next.after_task);
            chunk := least(chunk * 4, budget);
        END IF;
        IF next.places <> '{}' THEN
            got := take(claimer, next.places, for_start, at, look.marks IS NOT NULL);
            lowest := least(lowest, got.lowest);
            highest := greatest(highest, got.highest);
            wanted := wanted - got.taken;
        END IF;
        IF next.full_places <> '{}' AND NOT park_full(next.full_places) THEN cut_short := true; END IF;
        budget := budget - cardinality(next.places) - cardinality(next.full_places);
        EXIT WHEN next.whole;
    END LOOP;
    RETURN (look, budget, lowest, highest, cut_short);
END $$;

-- Keeps what was granted, in case its answer is lost. The worker has its answer to every claim before: those are forgotten. The
-- session remembers which was the last, because while a snapshot is held a search would pass all that ever were. Raises 40001
-- (repeat the transaction) if the same request was granted meanwhile, over a connection given up for lost.
CREATE FUNCTION holdfast.keep_claim(claimer uuid, request_id uuid, lowest bigint, highest bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    last text := current_setting('holdfast.last_claim', true);
    last_request uuid;
BEGIN
    IF left(last, 36) = claimer::text THEN
        last_request := right(last, 36)::uuid;
    ELSE
        DELETE FROM claim c WHERE c.worker_id = claimer AND c.request <> request_id;
    END IF;
    WITH gone AS (
        DELETE FROM claim c WHERE c.worker_id = claimer AND c.request = last_request
    )
    INSERT INTO claim (worker_id, request, first_lease, last_lease) VALUES (claimer, request_id, lowest, highest)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RAISE EXCEPTION 'the same claim was granted meanwhile' USING ERRCODE = 'serialization_failure'; END IF;
    PERFORM set_config('holdfast.last_claim', claimer || ' ' || request_id, false);
END $$;

-- Claims for a worker. `stale`: the caller's idea of the worker's routes is out of date, nothing was done. `look_first`:
-- lock and write nothing when there is nothing, as an idle worker should; it costs the others a look. The tasks themselves
-- are read with holdfast.claimed(), in the same transaction. `seen_*`: the highest lease that the worker has seen, and under
-- which rank; see hear_witness(). `put_off`: tasks with keys may have to wait for the transactions of others, and this one may
-- not wait, because it has locks or ends of runs to report; nothing was done. Runs with the settings of turn().
CREATE FUNCTION holdfast.claim(
    claimer uuid, request_id uuid, to_start integer, to_hold integer, budget integer,
    known_queues text[], known_tags text[], known_routes bigint, routes integer[], look_first boolean,
    seen_rank bigint, seen_lease bigint, may_wait boolean,
    OUT refusal text, OUT stale boolean, OUT next_due_us bigint, OUT more boolean, OUT put_off boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    at timestamptz := holdfast.now();
    w record;
    next_due timestamptz;
    has_promoted boolean := false;
    has_keys boolean;
    known holdfast.claim_position;
    look holdfast.claim_look;
    popped holdfast.popped;
BEGIN
    stale := false;
    more := false;
    put_off := false;
    -- The same request may be under way still, over a connection given up for lost: what it is granted is waited for.
    PERFORM pg_advisory_xact_lock(uuid_hash_extended(request_id, 4711));
    SELECT x.status, x.cordoned,
           x.queues = known_queues AND x.tags = known_tags AND (SELECT count(*) FROM route) = known_routes AS is_as_known,
           EXISTS (SELECT FROM claim c WHERE c.worker_id = claimer AND c.request = request_id) AS asks_again,
           EXISTS (SELECT FROM queue q WHERE q.paused) AS some_paused,
           seen_lease > (SELECT n.last_value - (NOT n.is_called)::integer FROM lease_number n) AS went_back,
           (SELECT i.nonce FROM incarnation i) AS history
    INTO w FROM (VALUES (1)) AS one LEFT JOIN worker x ON x.id = claimer;
    IF w.went_back THEN PERFORM hear_witness(seen_rank, seen_lease); END IF;
    -- What was granted is told again whatever has become of the worker: it would not learn of its leases otherwise.
    refusal := CASE WHEN w.status IS NULL THEN 'unknown' WHEN w.asks_again THEN NULL
                    WHEN w.status <> 'active' THEN 'not_active' WHEN w.cordoned THEN 'cordoned' END;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    stale := NOT w.is_as_known;
    IF stale THEN RETURN; END IF;

    IF w.some_paused THEN
        routes := ARRAY(SELECT r.id FROM route r WHERE r.id = ANY (routes)
                        AND NOT EXISTS (SELECT FROM queue q WHERE q.name = r.queue AND q.paused) ORDER BY r.id);
    END IF;
    IF cardinality(routes) = 0 THEN RETURN; END IF;
    LOOP  -- (LIMIT 1 inside keeps it to one look per route.)
        SELECT (SELECT min(f.run_at) FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
                    SELECT x.run_at FROM waiting x WHERE x.why = 'future' AND x.route_id = r.id
                    ORDER BY x.run_at LIMIT 1) f),
               to_start > 0 AND EXISTS (SELECT FROM unnest(routes) AS r (id) CROSS JOIN LATERAL (
                    SELECT FROM ready x WHERE x.route_id = r.id AND x.concurrency_key IS NOT NULL LIMIT 1) AS any_keyed)
        INTO next_due, has_keys;
        EXIT WHEN next_due IS NULL OR next_due > at OR w.asks_again OR has_promoted;
        PERFORM promote_due(routes, at, 1000);
        has_promoted := true;
    END LOOP;
    IF next_due IS NOT NULL THEN
        next_due_us := greatest(0, extract(epoch FROM next_due - at) * 1000000)::bigint;
    END IF;
    IF w.asks_again THEN RETURN; END IF;
    put_off := has_keys AND NOT may_wait;
    IF put_off THEN RETURN; END IF;

    IF NOT has_keys THEN
        known := nullif(current_setting('holdfast.position', true), '')::holdfast.claim_position;
        IF known.history <> w.history OR known.of_table <> 'holdfast.ready'::regclass THEN known := NULL; END IF;
        look := begin_look(known, routes, at);
        IF look_first AND NOT sees_work(look) THEN
            PERFORM end_look(look, w.history, routes);
            RETURN;
        END IF;
    END IF;

    -- Beats may come in between; a sweep that makes the worker inactive waits, and sees these leases.
    PERFORM FROM worker x WHERE x.id = claimer AND x.status = 'active' AND NOT x.cordoned FOR KEY SHARE;
    IF NOT FOUND THEN  -- (The same request may have been granted meanwhile, over a connection given up for lost.)
        IF NOT EXISTS (SELECT FROM claim c WHERE c.worker_id = claimer AND c.request = request_id) THEN
            refusal := 'not_active';
        END IF;
        RETURN;
    END IF;

    IF to_start > 0 THEN
        popped := pop(claimer, routes, to_start, true, has_keys, at, look, budget, NULL, NULL);
        more := popped.cut_short;
        IF popped.lowest IS NOT NULL AND EXISTS (SELECT FROM job_progress p WHERE p.state = 'PENDING') THEN
            PERFORM begin_jobs(ARRAY(SELECT l.task_id FROM lease l WHERE l.worker_id = claimer
                                     AND l.lease BETWEEN popped.lowest AND popped.highest), at);
        END IF;
    ELSE
        popped := (look, budget, NULL::bigint, NULL::bigint, false)::holdfast.popped;
    END IF;
    IF to_hold > 0 THEN
        popped := pop(claimer, routes, to_hold, false, false, at, popped.look, popped.budget, popped.lowest, popped.highest);
        -- Holding more for later is a bonus, not worth asking again.
        more := more OR popped.cut_short AND popped.lowest IS NULL;
    END IF;
    IF NOT has_keys THEN PERFORM end_look(popped.look, w.history, routes); END IF;
    IF popped.lowest IS NOT NULL THEN PERFORM keep_claim(claimer, request_id, popped.lowest, popped.highest); END IF;
END $$;

-- The leases of that request that the worker still holds, in the order in which they were handed out. (In plpgsql, which keeps
-- plans; each lookup in a LATERAL subquery for the reason given in 0005.)
CREATE FUNCTION holdfast.claimed(claimer uuid, request_id uuid)
RETURNS TABLE (id uuid, lease bigint, started boolean, attempts integer, crashes integer, requeues integer,
               name text, args text, spec text, route_id integer, priority integer, run_at timestamptz,
               deadline timestamptz, policy text, concurrency_key text, concurrency_limit integer, idempotency_key text,
               retry_of uuid, checkpoint text, traceparent text) LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    first bigint;
    last bigint;
BEGIN
    SELECT c.first_lease, c.last_lease INTO first, last FROM claim c WHERE c.worker_id = claimer AND c.request = request_id;
    IF NOT FOUND THEN RETURN; END IF;
    RETURN QUERY
    SELECT l.task_id, l.lease, l.started_at IS NOT NULL, l.attempts, l.crashes, l.requeues,
           t.name, t.args, t.spec, t.route_id, t.priority::integer, l.run_at, t.deadline, t.policy::text, t.concurrency_key,
           t.concurrency_limit::integer, t.idempotency_key, t.retry_of, p.checkpoint, t.traceparent
    FROM (SELECT x.* FROM lease x WHERE x.worker_id = claimer AND x.lease BETWEEN first AND last ORDER BY x.lease OFFSET 0) l
    CROSS JOIN LATERAL (SELECT x.* FROM task x WHERE x.id = l.task_id OFFSET 0) t
    LEFT JOIN LATERAL (SELECT x.checkpoint FROM progress x WHERE x.task_id = l.task_id OFFSET 0) p ON true
    ORDER BY l.lease;
END $$;

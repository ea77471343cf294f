-- No id is accepted twice, whatever the clocks of those say who submit and who remove.

-- The highest id of a task or job that was removed: an id up to it that is not found may have been used before. One row; it
-- moves forward only, in the transaction that removes.
ALTER TABLE holdfast.pruned ADD highest uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
UPDATE holdfast.pruned
SET highest = rpad(lpad(to_hex(floor(extract(epoch FROM until) * 1000)::bigint), 12, '0'), 32, 'f')::uuid
WHERE until > timestamptz '1970-01-01 00:00:00+00';
ALTER TABLE holdfast.pruned DROP until;
DROP FUNCTION holdfast.uuid_v7_time(uuid);

-- What is known about the server's clock, which says what is old: when it was last believed (NULL: never, as in a store that
-- is older than this), and for how long it has been watched since it is in doubt.
ALTER TABLE holdfast.pruned ADD clock_trusted_at timestamptz, ADD clock_watched_us bigint NOT NULL DEFAULT 0;
UPDATE holdfast.pruned SET clock_trusted_at = holdfast.now() WHERE NOT EXISTS (SELECT FROM holdfast.task);

CREATE FUNCTION holdfast.note_pruned(ids uuid[]) RETURNS void LANGUAGE sql AS $$
    UPDATE holdfast.pruned SET highest = g.id
    FROM (SELECT u.id FROM unnest(ids) AS u (id) ORDER BY u.id DESC LIMIT 1) g
    WHERE pruned.id = 1 AND highest < g.id
$$;

-- Deletes trees, with the tasks of their steps; at most so many steps, so that of a large tree a part may go. Answers how
-- many trees are gone whole.
CREATE OR REPLACE FUNCTION holdfast.delete_trees(roots uuid[], at_most integer) RETURNS integer LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    trees integer := 0;
    room integer := at_most;
    removed integer;
    tasks uuid[];
    root uuid;
    member uuid;
    highest uuid;
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
            highest := greatest(highest, member);
            room := room - removed;
            IF EXISTS (SELECT FROM step s WHERE s.job_id = member) THEN
                PERFORM note_pruned(ARRAY[highest]);
                RETURN trees;
            END IF;
            DELETE FROM event e WHERE e.job_id = member AND NOT e.is_order;
            DELETE FROM job_progress p WHERE p.job_id = member;
            DELETE FROM job j WHERE j.id = member;
        END LOOP;
        trees := trees + 1;
    END LOOP;
    PERFORM note_pruned(ARRAY[highest]);
    RETURN trees;
END $$;

-- Deletes ended tasks, with all that is kept about them.
CREATE OR REPLACE FUNCTION holdfast.delete_tasks(tasks uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    PERFORM note_pruned(tasks);
    DELETE FROM ending e WHERE e.task_id = ANY (tasks);
    DELETE FROM attempt a WHERE a.task_id = ANY (tasks);
    DELETE FROM progress p WHERE p.task_id = ANY (tasks);
    DELETE FROM log l WHERE l.task_id = ANY (tasks);
    DELETE FROM event e WHERE e.task_id = ANY (tasks) AND NOT e.is_order;
    DELETE FROM task t WHERE t.id = ANY (tasks);
END $$;

-- The lowest id that could have been made then or later.
CREATE FUNCTION holdfast.first_uuid_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT rpad(lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Raises HF002 unless a statement has added all of the tasks that it was given, and no id from the lowest one on may have been
-- used before. Volatile, so that it sees a removal that the insert waited for. (A transaction that reads one snapshot throughout
-- does not see that one.)
CREATE FUNCTION holdfast.admit(added bigint, given bigint, lowest uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF added <> given OR EXISTS (SELECT FROM holdfast.pruned p WHERE p.id = 1 AND p.highest >= lowest) THEN
        RAISE EXCEPTION 'not every task is new' USING ERRCODE = 'HF002';
    END IF;
END $$;

-- Whether two JSON texts say the same, or both are NULL: the order of members and blanks do not matter, numbers count by their
-- value. jsonb cannot hold every text that JSON can: those are the same only when they are written alike.
CREATE FUNCTION holdfast.same_json(one text, other text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN one IS NOT DISTINCT FROM other OR coalesce(one::jsonb = other::jsonb, false);
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN false;
END $$;

DROP FUNCTION holdfast.submit_batch(uuid[], text[], text[], text[], integer[], integer[], timestamptz[], timestamptz[], text[],
                                    text[], integer[], text[], uuid[], boolean[], text[]);
-- Accepts a batch without duplicates in itself. Answers only about those that were not accepted, by their place in the
-- arrays (from 1): 'existing' or 'mismatch' with the first task's id, 'too_old', or 'too_new' for an id that is further in the
-- future than a submitter's clock may be; and about those, 'accepted', for whose key another limit is in force than they ask
-- for. NULL run_at: now. NULL too_old: the id was made for this very submit. by_names: see task.by_name. The trace
-- of a task is not part of its payload.
CREATE FUNCTION holdfast.submit_batch(
    ids uuid[], names text[], argses text[], specs text[], routes integer[], priorities integer[],
    run_ats timestamptz[], deadlines timestamptz[], policies text[], keys text[], limits integer[],
    idempotency_keys text[], retry_ofs uuid[], too_old boolean[], traceparents text[], by_names boolean[]
) RETURNS TABLE (place bigint, status text, first_id uuid, limit_in_force integer) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := holdfast.now();
    first_too_new uuid := holdfast.first_uuid_at(at + interval '1 hour');
    accepted uuid[];
    pruned_up_to uuid;
    has_keys boolean;
    keyed bigint[];
    keyed_ids uuid[];
    new_routes integer[];
    new_keys text[];
    new_limits integer[];
BEGIN
    WITH inserted AS (
        INSERT INTO task (id, name, args, spec, route_id, priority, run_at, deadline, policy, concurrency_key,
                          concurrency_limit, idempotency_key, retry_of, created_at, traceparent, by_name)
        SELECT g.id, g.name, g.args, g.spec, g.route_id, g.priority, coalesce(g.run_at, at), g.deadline, g.policy::jsonb,
               g.key, g.max_slots, g.idempotency_key, g.retry_of, at, g.traceparent, g.by_name
        FROM unnest(ids, names, argses, specs, routes, priorities, run_ats, deadlines, policies, keys, limits,
                    idempotency_keys, retry_ofs, too_old, traceparents, by_names)
            AS g (id, name, args, spec, route_id, priority, run_at, deadline, policy, key, max_slots,
                  idempotency_key, retry_of, old, traceparent, by_name)
        WHERE g.old IS NOT TRUE AND g.id < first_too_new
        ORDER BY g.id  -- one order for all: two callers with the same ids wait for each other instead of deadlocking
        ON CONFLICT DO NOTHING
        RETURNING id, run_at, deadline, route_id, priority, concurrency_key,
                  coalesce(policy ->> 'unmatched' <> 'wait', false) AS fails_unmatched
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
    -- Asked after the insert, which may have waited for a removal of the same id to commit. (A transaction that reads one
    -- snapshot throughout does not see that one.)
    SELECT highest INTO pruned_up_to FROM pruned WHERE id = 1;
    IF too_old[1] IS NOT NULL AND pruned_up_to >= ANY (accepted) THEN
        DELETE FROM ready WHERE task_id = ANY (accepted) AND task_id <= pruned_up_to;
        DELETE FROM waiting WHERE task_id = ANY (accepted) AND task_id <= pruned_up_to;
        DELETE FROM task WHERE id = ANY (accepted) AND id <= pruned_up_to;
        accepted := ARRAY(SELECT g.id FROM unnest(accepted) AS g (id) WHERE g.id > pruned_up_to);
    END IF;
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
           CASE WHEN t.id IS NULL AND g.id >= first_too_new THEN 'too_new'
                WHEN t.id IS NULL THEN 'too_old'
                WHEN t.name = g.name AND (t.args = g.args OR same_json(t.args, g.args))
                     AND (t.spec IS NOT DISTINCT FROM g.spec OR same_json(t.spec, g.spec))
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

-- Submits one task inside the caller's transaction and returns its id:
--   SELECT holdfast.submit('send_mail', '{"to": "ann@example.com"}', priority => 10, policy => '{"max_attempts": 3}');
-- policy: max_attempts, retry_base_ms, retry_factor, retry_cap_ms, retry_jitter, retry_delays_ms, retry_on, on_crash,
-- max_crashes, timeout_ms, fence, unmatched. The same id or idempotency_key again with the same payload returns
-- the first task's id; with another payload it raises PAYLOAD_MISMATCH (SQLSTATE HF001). Bad values, and an id whose task may
-- have been removed: SQLSTATE 22023. The setting holdfast.max_payload_bytes limits args and spec, each.
CREATE OR REPLACE FUNCTION holdfast.submit(
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
    complaint text := holdfast.submit_defect(id, name, args, spec, queue, tags, priority, run_at, deadline, policy,
                                             concurrency_key, concurrency_limit, nullif(idempotency_key, ''),
                                             nullif(traceparent, ''));
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
        ARRAY[nullif(idempotency_key, '')], ARRAY[NULL::uuid], ARRAY[CASE WHEN id IS NOT NULL THEN false END],
        ARRAY[nullif(traceparent, '')], ARRAY[CASE WHEN spec IS NOT NULL THEN true END]);
    IF answer.status = 'mismatch' THEN
        RAISE EXCEPTION 'PAYLOAD_MISMATCH: task % was submitted before with the same id or idempotency key and another payload',
            answer.first_id USING ERRCODE = 'HF001';
    END IF;
    IF answer.status = 'too_new' THEN
        RAISE EXCEPTION 'holdfast.submit: id: % is from more than 1 hour in the future; check the clocks, or use a new id', task_id
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF answer.status = 'too_old' THEN
        RAISE EXCEPTION 'holdfast.submit: id: % is older than ended tasks are kept, so its task may have run already; use a new id',
            task_id USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF coalesce(answer.status, 'accepted') = 'accepted' THEN PERFORM pg_notify('holdfast_work', ''); END IF;
    RETURN coalesce(answer.first_id, task_id);
END $$;

-- Submitting: a batch function that the C++ store and holdfast.submit() share, and holdfast.submit() itself, for every
-- language that speaks SQL, inside the caller's own transaction.

-- The route's number; made when it is new.
CREATE FUNCTION holdfast.intern_route(queue_name text, canonical_tags text[]) RETURNS integer LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp AS $$
DECLARE
    found_id integer;
BEGIN
    SELECT r.id INTO found_id FROM route r WHERE r.queue = queue_name AND r.tags = canonical_tags;
    IF found_id IS NULL THEN
        INSERT INTO queue (name) VALUES (queue_name) ON CONFLICT DO NOTHING;
        INSERT INTO route (queue, tags) VALUES (queue_name, canonical_tags) ON CONFLICT DO NOTHING RETURNING id INTO found_id;
    END IF;
    IF found_id IS NULL THEN  -- another transaction made it at the same moment
        SELECT r.id INTO found_id FROM route r WHERE r.queue = queue_name AND r.tags = canonical_tags;
    END IF;
    RETURN found_id;
END $$;

-- The limit in force once a submit that asks for `asked` is accepted; core::limit_in_force() says the same. NULL `current`:
-- the key has no row.
CREATE FUNCTION holdfast.limit_in_force(current integer, declared boolean, in_use boolean, asked integer) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN current IS NULL THEN asked WHEN declared THEN current WHEN asked <= current THEN asked
                WHEN in_use THEN current ELSE asked END
$$;

-- Whether tasks of the queue with this key have not ended, beside some.
CREATE FUNCTION holdfast.key_in_use(of_queue text, of_key text, beside uuid[]) RETURNS boolean LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
BEGIN
    IF EXISTS (SELECT FROM slot s WHERE s.key = of_key AND s.queue = of_queue) THEN RETURN true; END IF;
    RETURN EXISTS (
        SELECT FROM route r WHERE r.queue = of_queue AND (
            EXISTS (SELECT FROM ready x WHERE x.concurrency_key = of_key AND x.route_id = r.id
                    AND NOT x.task_id = ANY (beside))
            OR EXISTS (SELECT FROM unnest('{future,key,overdue,job}'::text[]) AS y (why) JOIN waiting w
                       ON w.concurrency_key = of_key AND w.why = y.why AND w.route_id = r.id
                       AND NOT w.task_id = ANY (beside))));
END $$;

-- The limit in force of a queue's key; NULL: the key has no row.
CREATE FUNCTION holdfast.concurrency_limit(key text, queue text DEFAULT 'default') RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT c.max_slots FROM holdfast.concurrency c
    WHERE c.key = concurrency_limit.key AND c.queue IN ('', concurrency_limit.queue) ORDER BY c.queue LIMIT 1
$$;

-- Settles which limit is in force for the keys of tasks that have just been accepted, and answers it for each. Until the
-- caller's transaction ends, which may take long, it keeps others from raising the limits, and no claim from its work: a key
-- whose limit changes is locked, any other one only FOR KEY SHARE.
CREATE FUNCTION holdfast.settle_limits(tasks uuid[], routes integer[], keys text[], limits integer[]) RETURNS integer[]
LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    given_owners text[];
    owners text[];  -- each key once, with the lowest limit that is asked for
    names text[];
    asked integer[];
    known bigint;
    in_force integer[];
    raised record;
BEGIN
    LOOP
        given_owners := key_owners(routes, keys);
        SELECT array_agg(k.owner), array_agg(k.key), array_agg(k.max_slots) INTO owners, names, asked
        FROM (SELECT g.key, g.owner, min(g.max_slots) AS max_slots
              FROM unnest(given_owners, keys, limits) AS g (owner, key, max_slots)
              GROUP BY g.key, g.owner ORDER BY g.key, g.owner) k;
        PERFORM FROM unnest(owners, names) AS k (owner, key)
        JOIN concurrency c ON c.key = k.key AND c.queue = k.owner AND NOT c.declared
        ORDER BY c.key, c.queue FOR KEY SHARE OF c;
        GET DIAGNOSTICS known = ROW_COUNT;
        EXIT WHEN known + (SELECT count(*) FROM unnest(owners, names) AS k (owner, key)
                           JOIN concurrency c ON c.key = k.key AND c.queue = k.owner AND c.declared) >= cardinality(names);
        INSERT INTO concurrency (key, queue, max_slots, declared)
        SELECT k.key, k.owner, k.max_slots, false FROM unnest(owners, names, asked) AS k (owner, key, max_slots)
        WHERE k.owner <> '' AND NOT EXISTS (SELECT FROM concurrency c WHERE c.key = k.key AND c.queue = k.owner)
        ON CONFLICT DO NOTHING;
    END LOOP;
    -- The row of a declared key is not locked, and may be removed meanwhile: then its task gets what it asks for.
    in_force := ARRAY(SELECT coalesce(c.max_slots, g.asked)
                      FROM unnest(given_owners, keys, limits) WITH ORDINALITY AS g (owner, key, asked, place)
                      LEFT JOIN concurrency c ON c.key = g.key AND c.queue = g.owner ORDER BY g.place);
    IF in_force = limits THEN RETURN in_force; END IF;

    -- A submit under way holds the row of its key. So a limit is raised only if no other submit holds it, and no task is seen to use
    -- the key once it is locked.
    FOR raised IN
        SELECT c.key, c.queue, k.max_slots FROM unnest(owners, names, asked) AS k (owner, key, max_slots)
        JOIN concurrency c ON c.key = k.key AND c.queue = k.owner
        WHERE k.max_slots > limit_in_force(c.max_slots, c.declared, true, k.max_slots)
          AND k.max_slots = limit_in_force(c.max_slots, c.declared, key_in_use(c.queue, c.key, tasks), k.max_slots)
        ORDER BY c.key, c.queue FOR UPDATE OF c SKIP LOCKED
    LOOP
        UPDATE concurrency c
        SET max_slots = limit_in_force(c.max_slots, c.declared, key_in_use(c.queue, c.key, tasks), raised.max_slots)
        WHERE c.key = raised.key AND c.queue = raised.queue;
    END LOOP;
    UPDATE concurrency c SET max_slots = k.max_slots FROM unnest(owners, names, asked) AS k (owner, key, max_slots)
    WHERE c.key = k.key AND c.queue = k.owner AND k.max_slots < c.max_slots
      AND k.max_slots = limit_in_force(c.max_slots, c.declared, true, k.max_slots);
    RETURN ARRAY(SELECT coalesce(c.max_slots, g.asked)
                 FROM unnest(given_owners, keys, limits) WITH ORDINALITY AS g (owner, key, asked, place)
                 LEFT JOIN concurrency c ON c.key = g.key AND c.queue = g.owner ORDER BY g.place);
END $$;

-- Accepts a batch without duplicates in itself. Answers only about those that were not accepted, by their place in the
-- arrays (from 1): 'existing' or 'mismatch' with the first task's id, or 'too_old'. NULL run_at: now.
CREATE FUNCTION holdfast.submit_batch(
    ids uuid[], names text[], argses text[], specs text[], routes integer[], priorities integer[],
    run_ats timestamptz[], deadlines timestamptz[], policies text[], keys text[], limits integer[],
    idempotency_keys text[], retry_ofs uuid[], too_old boolean[]
) RETURNS TABLE (place bigint, status text, first_id uuid) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := holdfast.now();
    accepted uuid[];
    has_keys boolean;
    keyed uuid[];
    new_routes integer[];
    new_keys text[];
    new_limits integer[];
BEGIN
    WITH inserted AS (
        INSERT INTO task (id, name, args, spec, route_id, priority, run_at, deadline, policy, concurrency_key,
                          concurrency_limit, idempotency_key, retry_of, created_at)
        SELECT g.id, g.name, g.args, g.spec, g.route_id, g.priority, coalesce(g.run_at, at), g.deadline, g.policy::jsonb,
               g.key, g.max_slots, g.idempotency_key, g.retry_of, at
        FROM unnest(ids, names, argses, specs, routes, priorities, run_ats, deadlines, policies, keys, limits,
                    idempotency_keys, retry_ofs, too_old)
            AS g (id, name, args, spec, route_id, priority, run_at, deadline, policy, key, max_slots,
                  idempotency_key, retry_of, old)
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
        SELECT array_agg(g.id), array_agg(g.route_id), array_agg(g.key), array_agg(g.max_slots)
        INTO keyed, new_routes, new_keys, new_limits
        FROM unnest(ids, routes, keys, limits) AS g (id, route_id, key, max_slots)
        WHERE g.key IS NOT NULL AND (cardinality(accepted) = cardinality(ids) OR g.id = ANY (accepted));
        PERFORM settle_limits(keyed, new_routes, new_keys, new_limits);
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
           coalesce(t.id, g.id)
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

CREATE FUNCTION holdfast.uuid_v7(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_byte(stamped, 6, get_byte(stamped, 6) & 15 | 112), 'hex')::uuid
    FROM (SELECT overlay(uuid_send(gen_random_uuid())
                         PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3)
                         FROM 1 FOR 6) AS stamped) s
$$;

-- What is wrong with a policy, as one sentence that names the key; NULL when nothing is.
CREATE FUNCTION holdfast.policy_defect(policy jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN jsonb_typeof(policy) <> 'object' THEN 'policy: must be a JSON object'
        ELSE (SELECT format('policy: %s is %s, must be %s', e.key, e.value, coalesce(allowed.rule, 'left out: no such key'))
              FROM jsonb_each(policy) e
              LEFT JOIN (VALUES
                  ('max_attempts', 'whole', 1, 1000, 'a whole number from 1 to 1000'),
                  ('max_crashes', 'whole', 0, 1000, 'a whole number from 0 to 1000'),
                  ('retry_base_ms', 'whole', 0, 2592000000, 'a whole number from 0 to 2592000000 (30 days)'),
                  ('retry_cap_ms', 'whole', 0, 2592000000, 'a whole number from 0 to 2592000000 (30 days)'),
                  ('timeout_ms', 'whole', 1, 604800000, 'a whole number from 1 to 604800000 (7 days)'),
                  ('retry_factor', 'number', 1, 100, 'a number from 1 to 100'),
                  ('retry_jitter', 'number', 0, 1, 'a number from 0 to 1'),
                  ('retry_delays_ms', 'numbers', NULL, NULL, 'a list of whole numbers from 0 to 2592000000 (30 days)'),
                  ('retry_on', 'strings', NULL, NULL, 'a list of error codes'),
                  ('on_crash', '["fail", "requeue"]', NULL, NULL, '"fail" or "requeue"'),
                  ('fence', '["auto", "stop", "continue"]', NULL, NULL, '"auto", "stop" or "continue"'),
                  ('unmatched', '["wait", "fail"]', NULL, NULL, '"wait" or "fail"')
              ) AS allowed (key, kind, lowest, highest, rule) ON allowed.key = e.key
              WHERE NOT coalesce(CASE
                  WHEN allowed.kind IN ('whole', 'number') THEN
                      jsonb_typeof(e.value) = 'number' AND e.value::numeric BETWEEN allowed.lowest AND allowed.highest
                      AND (allowed.kind = 'number' OR e.value::numeric = trunc(e.value::numeric))
                  WHEN allowed.kind = 'numbers' THEN
                      jsonb_typeof(e.value) = 'array'
                      AND NOT jsonb_path_exists(e.value, '$[*] ? (@.type() != "number" || @ < 0 || @ > 2592000000 || @.floor() != @)')
                  WHEN allowed.kind = 'strings' THEN
                      jsonb_typeof(e.value) = 'array' AND NOT jsonb_path_exists(e.value, '$[*] ? (@.type() != "string")')
                  WHEN allowed.kind IS NOT NULL THEN jsonb_typeof(e.value) = 'string' AND allowed.kind::jsonb @> e.value
              END, false)
              ORDER BY e.key LIMIT 1)
    END
$$;

-- What is wrong with a submit, as one sentence that names the parameter; NULL when nothing is.
CREATE FUNCTION holdfast.submit_defect(
    name text, args json, spec json, queue text, tags text[], priority integer, policy jsonb,
    concurrency_key text, concurrency_limit integer, idempotency_key text
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
        ELSE holdfast.policy_defect(coalesce(policy, '{}'))
    END
    FROM (SELECT coalesce(nullif(current_setting('holdfast.max_payload_bytes', true), '')::integer, 1048576) AS biggest) limits
$$;

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
    spec json DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    complaint text := holdfast.submit_defect(name, args, spec, queue, tags, priority, policy, concurrency_key,
                                             concurrency_limit, nullif(idempotency_key, ''));
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
        ARRAY[nullif(idempotency_key, '')], ARRAY[NULL::uuid], ARRAY[false]);
    IF answer.status = 'mismatch' THEN
        RAISE EXCEPTION 'PAYLOAD_MISMATCH: task % was submitted before with the same id or idempotency key and another payload',
            answer.first_id USING ERRCODE = 'HF001';
    END IF;
    IF answer.status IS NULL THEN PERFORM pg_notify('holdfast_work', ''); END IF;
    RETURN coalesce(answer.first_id, task_id);
END $$;

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
    IF found_id IS NULL THEN  -- somebody else made it at the same moment
        SELECT r.id INTO found_id FROM route r WHERE r.queue = queue_name AND r.tags = canonical_tags;
    END IF;
    RETURN found_id;
END $$;

-- Remembers the limit that was given last for each key, and moves up what it lets in. A key whose limit does not change is
-- not locked: the caller may hold its transaction open for long.
CREATE FUNCTION holdfast.set_limits(keys text[], limits integer[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    changing text[] := ARRAY(
        SELECT DISTINCT g.key FROM unnest(keys, limits) AS g (key, max_slots)
        WHERE NOT EXISTS (SELECT FROM concurrency c WHERE c.key = g.key AND c.max_slots = g.max_slots)
        ORDER BY g.key);
BEGIN
    IF cardinality(changing) = 0 THEN RETURN; END IF;
    INSERT INTO concurrency AS c
    SELECT DISTINCT ON (g.key) g.key, g.max_slots
    FROM unnest(keys, limits) WITH ORDINALITY AS g (key, max_slots, place)
    WHERE g.key = ANY (changing) ORDER BY g.key, g.place DESC
    ON CONFLICT (key) DO UPDATE SET max_slots = excluded.max_slots WHERE c.max_slots <> excluded.max_slots;
    PERFORM unpark(changing);
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
        SELECT array_agg(g.key ORDER BY g.place), array_agg(g.max_slots ORDER BY g.place) INTO new_keys, new_limits
        FROM unnest(ids, keys, limits) WITH ORDINALITY AS g (id, key, max_slots, place)
        WHERE g.key IS NOT NULL AND (cardinality(accepted) = cardinality(ids) OR g.id = ANY (accepted));
        PERFORM set_limits(new_keys, new_limits);
    END IF;
    IF cardinality(accepted) = cardinality(ids) THEN RETURN; END IF;

    RETURN QUERY
    SELECT g.place,
           CASE WHEN t.id IS NULL THEN 'too_old'
                WHEN t.name = g.name AND t.args = g.args AND t.spec IS NOT DISTINCT FROM g.spec
                     AND t.route_id = g.route_id AND t.priority = g.priority
                     AND t.policy IS NOT DISTINCT FROM g.policy::jsonb
                     AND t.concurrency_key IS NOT DISTINCT FROM g.key
                     AND t.concurrency_limit IS NOT DISTINCT FROM g.max_slots THEN 'existing'
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
                  ('retry_base_ms', 'whole', 0, 31536000000, 'milliseconds, a whole number from 0'),
                  ('retry_cap_ms', 'whole', 0, 31536000000, 'milliseconds, a whole number from 0'),
                  ('timeout_ms', 'whole', 1, 31536000000, 'milliseconds, a whole number from 1'),
                  ('retry_factor', 'number', 1, 1000, 'a number from 1 to 1000'),
                  ('retry_jitter', 'number', 0, 1, 'a number from 0 to 1'),
                  ('retry_delays_ms', 'numbers', NULL, NULL, 'a list of whole milliseconds'),
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
                      AND NOT jsonb_path_exists(e.value, '$[*] ? (@.type() != "number" || @ < 0 || @.floor() != @)')
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

-- holdfast.submit() refuses what the C++ API refuses (core/policy_text.cc, store/admission.cc): a test compares them.

-- Up to when ended tasks may have been removed: an id from then that is not found may have been used before. One row; it
-- moves forward only, in the transaction that removes them.
CREATE TABLE holdfast.pruned (
    id     integer PRIMARY KEY CHECK (id = 1),
    until  timestamptz NOT NULL
);
INSERT INTO holdfast.pruned VALUES (1, '-infinity');

-- When an id was made, by the clock of its maker.
CREATE FUNCTION holdfast.uuid_v7_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT timestamptz '1970-01-01 00:00:00+00'
        + ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond'
$$;

CREATE FUNCTION holdfast.is_whole(value jsonb, lowest bigint, highest bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    -- By its text: 3.0 is not read as a whole number.
    SELECT CASE WHEN value::text ~ '^-?[0-9]+$' THEN value::numeric BETWEEN lowest AND highest ELSE false END
$$;

-- What is wrong with a policy, as one sentence that names the key; NULL when nothing is.
CREATE OR REPLACE FUNCTION holdfast.policy_defect(policy jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN jsonb_typeof(policy) <> 'object' THEN 'policy: must be a JSON object'
        ELSE (SELECT format('policy: %s is %s, must be %s', left(e.key, 60), left(e.value::text, 60),
                            coalesce(allowed.rule, 'left out: no such key'))
              FROM jsonb_each(policy) e
              LEFT JOIN (VALUES
                  ('max_attempts', 'whole', 1, 1000, 'a whole number from 1 to 1000'),
                  ('max_crashes', 'whole', 0, 1000, 'a whole number from 0 to 1000'),
                  ('retry_base_ms', 'whole', 0, 2592000000, 'a whole number from 0 to 2592000000 (30 days)'),
                  ('retry_cap_ms', 'whole', 0, 2592000000, 'a whole number from 0 to 2592000000 (30 days)'),
                  ('timeout_ms', 'whole', 1, 604800000, 'a whole number from 1 to 604800000 (7 days)'),
                  ('retry_factor', 'number', 1, 100, 'a number from 1 to 100'),
                  ('retry_jitter', 'number', 0, 1, 'a number from 0 to 1'),
                  ('retry_delays_ms', 'wholes', 0, 2592000000,
                   'a list of at most 100 whole numbers from 0 to 2592000000 (30 days)'),
                  ('retry_on', 'codes', 1, 255, 'a list of at most 100 error codes of 1 to 255 bytes, without '
                   'WORKER_CRASHED (write on_crash: requeue) and ARGS_NOT_READABLE, which are never retried'),
                  ('on_crash', '["fail", "requeue"]', NULL, NULL, '"fail" or "requeue"'),
                  ('fence', '["auto", "stop", "continue"]', NULL, NULL, '"auto", "stop" or "continue"'),
                  ('unmatched', '["wait", "fail", "auto"]', NULL, NULL, '"wait", "fail" or "auto"')
              ) AS allowed (key, kind, lowest, highest, rule) ON allowed.key = e.key
              WHERE NOT coalesce(CASE
                  WHEN allowed.kind = 'whole' THEN holdfast.is_whole(e.value, allowed.lowest, allowed.highest)
                  WHEN allowed.kind = 'number' AND jsonb_typeof(e.value) = 'number' THEN
                      e.value::numeric BETWEEN allowed.lowest AND allowed.highest
                  WHEN allowed.kind IN ('wholes', 'codes') AND jsonb_typeof(e.value) = 'array' THEN
                      jsonb_array_length(e.value) <= 100
                      AND NOT EXISTS (
                          SELECT FROM jsonb_array_elements(e.value) AS m (member)
                          WHERE NOT CASE WHEN allowed.kind = 'wholes' THEN
                                             holdfast.is_whole(m.member, allowed.lowest, allowed.highest)
                                         ELSE jsonb_typeof(m.member) = 'string'
                                              AND m.member #>> '{}' NOT IN ('WORKER_CRASHED', 'ARGS_NOT_READABLE')
                                              AND octet_length(m.member #>> '{}') BETWEEN allowed.lowest AND allowed.highest END)
                  WHEN allowed.kind LIKE '[%' THEN jsonb_typeof(e.value) = 'string' AND allowed.kind::jsonb @> e.value
              END, false)
              ORDER BY e.key LIMIT 1)
    END
$$;

-- A member that an object of the document has twice, by its path; NULL when there is none. Readers disagree about which counts.
CREATE FUNCTION holdfast.duplicate_member(document text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    WITH RECURSIVE part (path, value) AS (
        -- Keys with \u0000 in them cannot be text.
        SELECT '{}'::text[], replace(replace(document, '\\', '\u005c'), '\u0000', '\ue000')::json
        WHERE document LIKE '%:%:%'
        UNION ALL
        SELECT c.path, c.value FROM part p CROSS JOIN LATERAL (
            SELECT p.path || m.key, m.value
            FROM json_each(CASE json_typeof(p.value) WHEN 'object' THEN p.value ELSE '{}' END) m
            UNION ALL
            SELECT p.path || (e.place - 1)::text, e.value
            FROM json_array_elements(CASE json_typeof(p.value) WHEN 'array' THEN p.value ELSE '[]' END)
                WITH ORDINALITY AS e (value, place)
            WHERE json_typeof(e.value) IN ('object', 'array')
        ) AS c (path, value)
    )
    SELECT left(array_to_string(p.path, '.'), 200) FROM part p GROUP BY p.path HAVING count(*) > 1 ORDER BY p.path LIMIT 1
$$;

-- Whether a name has a control character (C0, DEL, C1), or one that changes the direction of the text around it.
CREATE FUNCTION holdfast.has_controls(name text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT name ~ '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]'
$$;

-- What other readers of JSON would not take, although PostgreSQL does; NULL when nothing is. Looks closely only at what could
-- be such a text.
CREATE FUNCTION holdfast.json_defect(document text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    max_nesting constant integer := 256;
    surrogate constant text := '\\ud[89a-f]';
    surrogate_pair constant text := '\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}';
    quoted constant text := '"(?:[^"\\]|\\.)*"';
    brackets text;
    duplicate text;
BEGIN
    IF document ~* surrogate
       AND regexp_replace(replace(document, '\\', '  '), surrogate_pair, '', 'gi') ~* surrogate THEN
        RETURN 'has half of a surrogate pair';
    END IF;
    IF document ~ '[0-9]{200}|[0-9][eE][+]?0*[1-9][0-9]{2}' AND EXISTS (
        SELECT FROM regexp_matches(regexp_replace(document, quoted, '', 'g'),
                                   '([0-9]+(?:\.[0-9]+)?)(?:[eE]([-+]?)0*([0-9]+))?', 'g') AS n (parts)
        WHERE CASE WHEN length(n.parts[3]) > 4 THEN n.parts[2] <> '-'
                   ELSE (n.parts[1] || coalesce('e' || n.parts[2] || n.parts[3], ''))::numeric >= 1.797693134862315808e308 END)
    THEN
        RETURN 'has a number that is too large';
    END IF;
    IF octet_length(document) > 2 * max_nesting THEN
        brackets := translate(regexp_replace(document, quoted || '|[^][{}"]+', '', 'g'), '{}', '[]');
        FOR level IN 1..max_nesting LOOP
            EXIT WHEN brackets = '';
            brackets := replace(brackets, '[]', '');  -- the innermost of what is left
        END LOOP;
        IF brackets <> '' THEN RETURN format('is nested deeper than %s levels', max_nesting); END IF;
    END IF;
    duplicate := holdfast.duplicate_member(document);
    IF duplicate IS NOT NULL THEN RETURN format('has the member %s twice', duplicate); END IF;
    RETURN NULL;
END $$;

DROP FUNCTION holdfast.submit_defect(text, json, json, text, text[], integer, jsonb, text, integer, text, text);
-- What is wrong with a submit, as one sentence that names the parameter; NULL when nothing is. A function task gets one tag
-- more, task:NAME.
CREATE FUNCTION holdfast.submit_defect(
    id uuid, name text, args json, spec json, queue text, tags text[], priority integer, run_at timestamptz,
    deadline timestamptz, policy jsonb, concurrency_key text, concurrency_limit integer, idempotency_key text,
    traceparent text
) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    most_bytes integer := coalesce(nullif(current_setting('holdfast.max_payload_bytes', true), '')::integer, 1048576);
    most_tags integer := CASE WHEN spec IS NULL THEN 63 ELSE 64 END;
    earliest constant timestamptz := '1970-01-01 00:00:00+00';
    latest constant timestamptz := '9999-12-31 00:00:00+00';
    controls constant text := 'has a control character, or one that changes the direction of text';
BEGIN
    RETURN CASE
        WHEN substr(id::text, 15, 1) <> '7' THEN format('id: %s is not a UUIDv7', id)
        WHEN coalesce(name, '') = '' OR octet_length(name) > 255 THEN 'name: must have 1 to 255 bytes'
        WHEN spec IS NULL AND octet_length(name) > 250 THEN 'name: must have 1 to 250 bytes, without a spec'
        WHEN holdfast.has_controls(name) THEN 'name: ' || controls
        WHEN args IS NULL THEN 'args: must be JSON, not NULL'
        WHEN octet_length(args::text) > most_bytes THEN
            format('args: has %s bytes; at most %s are allowed', octet_length(args::text), most_bytes)
        WHEN holdfast.json_defect(args::text) IS NOT NULL THEN 'args: ' || holdfast.json_defect(args::text)
        WHEN octet_length(spec::text) > most_bytes THEN
            format('spec: has %s bytes; at most %s are allowed', octet_length(spec::text), most_bytes)
        WHEN holdfast.json_defect(spec::text) IS NOT NULL THEN 'spec: ' || holdfast.json_defect(spec::text)
        WHEN coalesce(queue, '') = '' OR octet_length(queue) > 255 THEN 'queue: must have 1 to 255 bytes'
        WHEN holdfast.has_controls(queue) THEN 'queue: ' || controls
        WHEN cardinality(tags) > most_tags THEN format('tags: are %s; at most %s are allowed', cardinality(tags), most_tags)
        WHEN tags IS NULL OR EXISTS (SELECT FROM unnest(tags) AS t (tag) WHERE coalesce(tag, '') = '' OR octet_length(tag) > 255)
            THEN 'tags: each must have 1 to 255 bytes'
        WHEN holdfast.has_controls(array_to_string(tags, '')) THEN 'tags: one ' || controls
        WHEN priority IS NULL OR priority NOT BETWEEN 1 AND 100 THEN 'priority: must be from 1 to 100'
        WHEN run_at NOT BETWEEN earliest AND latest THEN 'run_at: must be in the years 1970 to 9999'
        WHEN deadline NOT BETWEEN earliest AND latest THEN 'deadline: must be in the years 1970 to 9999'
        WHEN deadline < run_at THEN 'deadline: is before run_at, so the task could never start'
        WHEN concurrency_key = '' OR octet_length(concurrency_key) > 255 THEN 'concurrency_key: must have 1 to 255 bytes'
        WHEN holdfast.has_controls(concurrency_key) THEN 'concurrency_key: ' || controls
        WHEN concurrency_limit NOT BETWEEN 1 AND 10000 THEN 'concurrency_limit: must be from 1 to 10000'
        WHEN concurrency_limit IS NOT NULL AND concurrency_key IS NULL THEN 'concurrency_limit: needs a concurrency_key'
        WHEN octet_length(idempotency_key) > 255 THEN 'idempotency_key: may have at most 255 bytes'
        WHEN holdfast.has_controls(idempotency_key) THEN 'idempotency_key: ' || controls
        WHEN traceparent !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' THEN
            'traceparent: must be as W3C trace context has it: 00-<32 hexadecimal digits>-<16>-<2>, in lower case'
        WHEN policy IS NOT NULL THEN holdfast.policy_defect(policy)
    END;
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
        ARRAY[nullif(idempotency_key, '')], ARRAY[NULL::uuid], ARRAY[false],
        ARRAY[nullif(traceparent, '')]);
    IF answer.status = 'mismatch' THEN
        RAISE EXCEPTION 'PAYLOAD_MISMATCH: task % was submitted before with the same id or idempotency key and another payload',
            answer.first_id USING ERRCODE = 'HF001';
    END IF;
    -- Asked after the insert, which may have waited for a removal of the same id to commit. (A transaction that reads one
    -- snapshot throughout does not see that one.)
    IF answer.status = 'too_old' OR answer.status IS NULL AND id IS NOT NULL
       AND EXISTS (SELECT FROM holdfast.pruned p WHERE p.id = 1 AND p.until >= holdfast.uuid_v7_time(id)) THEN
        RAISE EXCEPTION 'holdfast.submit: id: % is older than ended tasks are kept, so its task may have run already; use a new id',
            task_id USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF answer.status IS NULL THEN PERFORM pg_notify('holdfast_work', ''); END IF;
    RETURN coalesce(answer.first_id, task_id);
END $$;

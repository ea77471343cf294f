-- Workers: registration and beats.

-- The key of a worker's advisory lock: its session on the beats' connection is its proof of life.
CREATE FUNCTION holdfast.session_key(worker uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || substr(replace(worker::text, '-', ''), 1, 16))::bit(64)::bigint
$$;

-- The sessions of this database that hold workers' locks.
CREATE VIEW holdfast.session_locks AS
SELECT (l.classid::bigint << 32) | l.objid::bigint AS key, l.pid
FROM pg_catalog.pg_locks l
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database());

-- The same id again refreshes the row and makes it active.
CREATE FUNCTION holdfast.register_worker(
    worker_id uuid, worker_name text, host text, boot text, namespace bigint, process integer, started bigint,
    keeper integer, keeper_started bigint, program_version text, serves_queues text[], carries_tags text[], slots integer,
    beat_us bigint, fence_us bigint, its_via text, its_secret_hash text
) RETURNS bigint LANGUAGE plpgsql SET search_path = holdfast, pg_temp AS $$
DECLARE
    its_number bigint;
BEGIN
    -- Numbers are small and used again, so they are handed out one at a time.
    PERFORM pg_advisory_xact_lock(hashtextextended('holdfast.register_worker', 0));
    INSERT INTO worker AS w (id, number, name, status, hostname, boot_id, pid_namespace, pid, start_time, keeper_pid,
                             keeper_start_time, version, queues, tags, capacity, beat_interval_us, fence_after_us,
                             registered_at, via, secret_hash)
    SELECT worker_id, coalesce(max(old.number), 0) + 1, worker_name, 'active', host, boot, namespace, process, started,
           keeper, keeper_started, program_version, serves_queues, carries_tags, slots, beat_us, fence_us, holdfast.now(),
           its_via, its_secret_hash
    FROM worker old
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = 'active', hostname = excluded.hostname,
        boot_id = excluded.boot_id, pid_namespace = excluded.pid_namespace, pid = excluded.pid,
        start_time = excluded.start_time, keeper_pid = excluded.keeper_pid,
        keeper_start_time = excluded.keeper_start_time, version = excluded.version, queues = excluded.queues,
        tags = excluded.tags, capacity = excluded.capacity, beat_interval_us = excluded.beat_interval_us,
        fence_after_us = excluded.fence_after_us
    RETURNING w.number INTO its_number;
    RETURN its_number;
END $$;

-- One beat: the worker's row, its history, and what the store holds for it. No row: the worker is not known. `seen_*`: the
-- worker's last acknowledged beat, and under which rank; see hear_witness().
CREATE FUNCTION holdfast.beat(beater uuid, new_status text, held_now jsonb, keep_history boolean, claims_session boolean,
                              seen_rank bigint, seen_beat bigint)
RETURNS TABLE (old_status text, cordoned boolean, drain_requested boolean, beat bigint) LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF EXISTS (SELECT FROM worker w WHERE w.id = beater AND w.beat < seen_beat) THEN
        PERFORM hear_witness(seen_rank, seen_beat);
    END IF;
    RETURN QUERY
    WITH before AS MATERIALIZED (SELECT w.id, w.status FROM worker w WHERE w.id = beater FOR NO KEY UPDATE),
    beaten AS (
        UPDATE worker w
        SET beat = w.beat + 1, status = new_status, last_heartbeat = holdfast.now(), held = held_now,
            proves_session = claims_session AND EXISTS (SELECT FROM session_locks s
                WHERE s.key = session_key(beater) AND s.pid = pg_backend_pid())
        FROM before WHERE w.id = before.id
        RETURNING w.cordoned, w.drain_requested, w.beat, w.hostname, w.pid, before.status AS old_status
    ), kept AS (
        INSERT INTO beat_history (worker_id, sent_at, hostname, pid, held)
        SELECT beater, holdfast.now(), b.hostname, b.pid, held_now FROM beaten b WHERE keep_history
    )
    SELECT b.old_status, b.cordoned, b.drain_requested, b.beat FROM beaten b;
END $$;

-- A database can go back in time: a failover that lost the last commits, a restored backup or disk. Every history of the
-- store has a rank, which is part of each lease number. Whoever notices that history may have forked gives the next rank.

-- The identity of this history. One row.
CREATE TABLE holdfast.incarnation (
    id           integer PRIMARY KEY CHECK (id = 1),
    rank         bigint NOT NULL CHECK (rank BETWEEN 1 AND 8191),
    nonce        uuid NOT NULL,           -- drawn with the rank: two forks may have come to the same rank
    place        text NOT NULL,           -- holdfast.place() where it was given
    server_start timestamptz NOT NULL     -- of the server that was met last
);

-- Where the database is: system identifier, timeline of the server, oid of the table, which changes when a dump is restored. A
-- part that the service hides is '?', and so is the timeline of a standby. (The control file names the old timeline until the
-- first checkpoint after a promotion, so the timeline is taken from the name of the log segment.)
CREATE FUNCTION holdfast.place() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = holdfast, pg_temp AS $$
DECLARE
    system text := '?';
    timeline text := '?';
BEGIN
    BEGIN
        SELECT c.system_identifier::text INTO system FROM pg_catalog.pg_control_system() c;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        timeline := left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    RETURN system || '/' || timeline || '/' || 'holdfast.incarnation'::regclass::oid;
END $$;
INSERT INTO holdfast.incarnation VALUES (1, 1, gen_random_uuid(), holdfast.place(), pg_postmaster_start_time());

-- One row if this is still the history that the caller knows, at its place, on a server that was not restarted; else none. It
-- travels before the first statement of every write, so it does only what is cheap (the system identifier stands in a file).
-- The planner puts it into the statement that asks, which costs a third less than a call.
CREATE FUNCTION holdfast.known_history(known_rank bigint, known_nonce uuid, known_start timestamptz) RETURNS SETOF boolean
LANGUAGE sql STABLE AS $$
    SELECT true FROM holdfast.incarnation i
    WHERE i.rank = known_rank AND i.nonce = known_nonce AND i.server_start = known_start
      AND split_part(i.place, '/', 3) = i.tableoid::text
      AND CASE WHEN pg_is_in_recovery() THEN true
               ELSE known_start = pg_postmaster_start_time()
                    AND split_part(i.place, '/', 2) IN ('?', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)) END
$$;

-- Raises HF003.
CREATE FUNCTION holdfast.refuse_history(known_rank bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this is another history of the store than rank %', known_rank USING ERRCODE = 'HF003';
END $$;

-- A worker has seen a higher number than the store knows. Raises HF004 if it saw it under this rank: the store has gone back. A
-- witness of another rank says nothing, because the store has rolled over since.
CREATE FUNCTION holdfast.hear_witness(seen_rank bigint, seen_number bigint) RETURNS void LANGUAGE plpgsql STABLE
    SET search_path = holdfast, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM incarnation i WHERE i.rank = seen_rank) THEN
        RAISE EXCEPTION 'a worker has seen number % of rank %, which the store does not know', seen_number, seen_rank
            USING ERRCODE = 'HF004';
    END IF;
END $$;

-- Marks leases as started whose start is in a part of history that is lost. What is running is not held by the pause of its
-- job.
CREATE FUNCTION holdfast.mark_started(tasks uuid[]) RETURNS void LANGUAGE plpgsql
    SET search_path = holdfast, pg_temp AS $$
DECLARE
    at timestamptz := holdfast.now();
BEGIN
    UPDATE lease l SET started_at = at, stop_requested = nullif(l.stop_requested, 'pause')
    FROM unnest(tasks) AS b (id) WHERE l.task_id = b.id;
    PERFORM begin_jobs(tasks, at);
END $$;

-- Gives the next rank, unless the rank is not the expected one any more. Every lease counts as started from now on, because
-- its start may be in the part of history that is lost. The new numbers begin at a random one, so that two forks that come to
-- the same rank do not hand out the same. (A sequence does not roll back, so it may be ahead already.) Beats are raised, so
-- that no verdict that is based on an earlier one is carried out. Any user of the store may be the first to notice, so this
-- acts with the privileges of the owner.
CREATE FUNCTION holdfast.roll_over(expected bigint, new_rank bigint, new_place text, kind text, who text, message text,
                                   details text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = holdfast, pg_temp AS $$
BEGIN
    PERFORM FROM incarnation i WHERE i.rank = expected FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM setval('holdfast.lease_number',
                   greatest(n.last_value, (new_rank << 40) + floor(random() * (1::bigint << 39))::bigint))
    FROM lease_number n;
    UPDATE incarnation i SET rank = new_rank, nonce = gen_random_uuid(), place = new_place,
        server_start = pg_postmaster_start_time();
    PERFORM FROM worker w ORDER BY w.id FOR UPDATE;  -- workers are locked before leases
    UPDATE worker w SET beat = w.beat + 1000000;
    PERFORM mark_started(ARRAY(SELECT l.task_id FROM lease l WHERE l.started_at IS NULL ORDER BY l.task_id FOR UPDATE));
    PERFORM write_events(ARRAY[kind], ARRAY[NULL::uuid], ARRAY[NULL::uuid], ARRAY[NULL::uuid], ARRAY[who], ARRAY[message],
                         ARRAY[details], ARRAY[NULL::text], ARRAY[false]);
END $$;

-- The server was restarted, perhaps with an older copy of its disk. Leaves out lease numbers, so that none is given again; how
-- many is random, because the lost part of history may have left out some, too. Answers false, and does nothing, if the rank
-- has not so many left.
CREATE FUNCTION holdfast.note_restart() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = holdfast, pg_temp AS $$
DECLARE
    identity incarnation;
    next_number bigint;
BEGIN
    SELECT * INTO identity FROM incarnation FOR UPDATE;
    IF identity.server_start = pg_postmaster_start_time() THEN RETURN true; END IF;
    SELECT n.last_value + (1::bigint << 28) + floor(random() * (1::bigint << 32))::bigint INTO next_number FROM lease_number n;
    IF next_number >= (identity.rank + 1) << 40 THEN RETURN false; END IF;
    PERFORM setval('holdfast.lease_number', next_number);
    UPDATE incarnation SET server_start = pg_postmaster_start_time();
    RETURN true;
END $$;

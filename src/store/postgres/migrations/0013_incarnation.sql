-- A database can go back in time: a failover that lost the last commits, a restored backup or disk. Every history of the
-- store has a rank, which is part of each lease number. Whoever notices that history may have forked gives the next rank.

-- The identity of this history. One row.
CREATE TABLE holdfast.incarnation (
    id     integer PRIMARY KEY CHECK (id = 1),
    rank   bigint NOT NULL CHECK (rank BETWEEN 1 AND 8191),
    nonce  uuid NOT NULL,                 -- drawn with the rank: two forks may have come to the same rank
    place  text NOT NULL                  -- holdfast.place() where it was given
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
INSERT INTO holdfast.incarnation VALUES (1, 1, gen_random_uuid(), holdfast.place());

-- Raises HF003 unless this is still the history that the caller knows, and at its place. It travels before the first statement
-- of every write, so it does only what is cheap: the system identifier stands in a file. Without SET for the same reason.
CREATE FUNCTION holdfast.expect(known_rank bigint, known_nonce uuid) RETURNS void LANGUAGE plpgsql STABLE AS $$
DECLARE
    timeline text;
BEGIN
    SELECT split_part(i.place, '/', 2) INTO timeline FROM holdfast.incarnation i
    WHERE i.rank = known_rank AND i.nonce = known_nonce AND split_part(i.place, '/', 3) = i.tableoid::text;
    IF timeline IS NULL OR timeline <> '?' AND NOT pg_is_in_recovery()
       AND timeline <> left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) THEN
        RAISE EXCEPTION 'this is another history of the store than rank %', known_rank USING ERRCODE = 'HF003';
    END IF;
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

-- Gives the next rank, unless the rank is not the expected one any more. Every lease counts as started from now on, because
-- its start may be in the part of history that is lost. The new numbers begin at a random one, so that two forks that come to
-- the same rank do not hand out the same. (A sequence does not roll back, so it may be ahead already.) Any user of the store
-- may be the first to notice, so this acts with the privileges of the owner.
CREATE FUNCTION holdfast.roll_over(expected bigint, new_rank bigint, new_place text, kind text, who text, message text,
                                   details text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = holdfast, pg_temp AS $$
DECLARE
    at timestamptz := holdfast.now();
    begun uuid[];
BEGIN
    PERFORM FROM incarnation i WHERE i.rank = expected FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM setval('holdfast.lease_number',
                   greatest(n.last_value, (new_rank << 40) + floor(random() * (1::bigint << 39))::bigint))
    FROM lease_number n;
    UPDATE incarnation i SET rank = new_rank, nonce = gen_random_uuid(), place = new_place;
    begun := ARRAY(SELECT l.task_id FROM lease l WHERE l.started_at IS NULL ORDER BY l.task_id FOR UPDATE);
    -- What is running is not held by the pause of its job.
    UPDATE lease l SET started_at = at, stop_requested = nullif(l.stop_requested, 'pause')
    FROM unnest(begun) AS b (id) WHERE l.task_id = b.id;
    PERFORM begin_jobs(begun, at);
    PERFORM write_events(ARRAY[kind], ARRAY[NULL::uuid], ARRAY[NULL::uuid], ARRAY[NULL::uuid], ARRAY[who], ARRAY[message],
                         ARRAY[details]);
END $$;

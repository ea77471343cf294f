-- The highest id of a task or job that was removed: an id up to it that is not found may have been used before, whatever the
-- clocks of submitters and of retention say. One row; it moves forward only, in the transaction that removes.
CREATE TABLE pruned (
    id                INTEGER PRIMARY KEY CHECK (id = 1),
    highest           BLOB NOT NULL,
    -- What is known about the clock that says what is old: when it was last believed (NULL: never, as in a file that is older
    -- than this), and for how long it has been watched since it is in doubt.
    clock_trusted_at  INTEGER,
    clock_watched_us  INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO pruned (id, highest) VALUES (1, zeroblob(16));

-- The last number of a worker. A live worker whose row was deleted by hand still holds the lock of its number: another one with the same
-- number would seem to die with it. One row.
CREATE TABLE worker_number (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    last  INTEGER NOT NULL
) STRICT;
INSERT INTO worker_number SELECT 1, coalesce(max(number), 0) FROM worker;

-- A file can go back in time: a backup, or a snapshot of the disk. Every history of the store has a rank, which is part of each
-- lease number. A process that notices that history may have forked gives the store the next rank.

-- The identity of this history. One row.
CREATE TABLE incarnation (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    rank   INTEGER NOT NULL CHECK (rank BETWEEN 1 AND 8191),
    nonce  BLOB NOT NULL CHECK (length(nonce) = 16),  -- drawn with the rank: two forks may have come to the same rank
    place  TEXT NOT NULL                              -- which file it was: inode/time of birth
) STRICT;
INSERT INTO incarnation VALUES (1, 1, randomblob(16), '');

-- Lease numbers of a rank begin at rank * 2^40.
UPDATE lease_number SET last = last + (1 << 40);

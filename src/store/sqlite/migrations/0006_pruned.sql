-- The highest id of a task or job that was removed: an id up to it that is not found may have been used before, whatever the
-- clocks say of those who submit and who remove. One row; it moves forward only, in the transaction that removes.
CREATE TABLE pruned (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    highest  BLOB NOT NULL
) STRICT;
INSERT INTO pruned VALUES (1, zeroblob(16));

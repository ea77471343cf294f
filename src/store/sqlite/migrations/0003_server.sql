-- The W3C trace context of the submitter; NULL: none.
ALTER TABLE task ADD COLUMN traceparent TEXT;

-- For lists by name: one that is rare is found among any number of others.
CREATE INDEX task_name ON task (name, id);

-- Keys to the server. Their names are unique among those that are neither revoked nor expired.
CREATE TABLE token (
    id              BLOB PRIMARY KEY CHECK (length(id) = 16),
    name            TEXT NOT NULL,
    hash            TEXT NOT NULL UNIQUE,  -- of the secret, which is not stored
    scope           TEXT NOT NULL CHECK (scope = 'work' OR scope = 'read' OR scope = 'submit' OR scope = 'operate' OR scope = 'admin'),
    queues          TEXT NOT NULL,         -- JSON array; empty: all
    who             TEXT NOT NULL,         -- made it
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    revoked_at      INTEGER,
    last_used_at    INTEGER,
    last_used_from  TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Logins at the page. A session is valid as long as its token is, unless it was not used for 12 hours.
CREATE TABLE session (
    id              BLOB PRIMARY KEY CHECK (length(id) = 16),
    hash            TEXT NOT NULL UNIQUE,  -- of the secret in the cookie, which is not stored
    token_id        BLOB NOT NULL,
    created_from    TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER NOT NULL,
    last_used_from  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The servers of this store.
CREATE TABLE replica (
    id              BLOB PRIMARY KEY CHECK (length(id) = 16),
    hostname        TEXT NOT NULL,
    pid             INTEGER NOT NULL,
    version         TEXT NOT NULL,
    address         TEXT NOT NULL,
    sweeping        INTEGER NOT NULL,
    started_at      INTEGER NOT NULL,
    last_heartbeat  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

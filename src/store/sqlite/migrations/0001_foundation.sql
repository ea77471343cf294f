-- Times are INTEGER microseconds since the Unix epoch, ids 16-byte BLOBs; the views at the end show both as text.
--
-- A task is in exactly one place: ready, waiting, lease or ending. Its row in `task` is never updated. Moving it is a
-- delete here and an insert there, so the tables that every claim, start and finish touches stay small and narrow.
-- The columns from route_id to last_lease travel with it.
--
-- CHECKs are written with OR: SQLite builds a temporary table for an IN list, at every insert.

-- An interned (queue, set of tags). Claims go by route.
CREATE TABLE route (
    id     INTEGER PRIMARY KEY,
    queue  TEXT NOT NULL,
    tags   TEXT NOT NULL,  -- JSON array, sorted, without duplicates
    UNIQUE (queue, tags)
) STRICT;

CREATE TABLE queue (
    name    TEXT PRIMARY KEY,
    paused  INTEGER NOT NULL DEFAULT 0 CHECK (paused = 0 OR paused = 1)
) STRICT, WITHOUT ROWID;

-- What was submitted.
CREATE TABLE task (
    id                 BLOB PRIMARY KEY CHECK (length(id) = 16),
    name               TEXT NOT NULL,
    args               TEXT NOT NULL,
    spec               TEXT,               -- NULL: a registered function
    route_id           INTEGER NOT NULL,
    priority           INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 100),
    run_at             INTEGER NOT NULL,
    deadline           INTEGER,
    policy             TEXT,               -- NULL: all default
    concurrency_key    TEXT,
    concurrency_limit  INTEGER CHECK (concurrency_limit >= 1),
    idempotency_key    TEXT,
    retry_of           BLOB,
    created_at         INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX task_idempotency_key ON task (idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TRIGGER task_is_final BEFORE UPDATE ON task
BEGIN SELECT RAISE(ABORT, 'what was submitted never changes'); END;

-- PENDING, in reach of claims. Tasks with a key and tasks without stand in two rows, so that a claim that may not have the
-- former does not meet them.
CREATE TABLE ready (
    route_id         INTEGER NOT NULL,
    keyed            INTEGER NOT NULL CHECK (keyed = (concurrency_key IS NOT NULL)),
    priority         INTEGER NOT NULL,
    run_at           INTEGER NOT NULL,
    task_id          BLOB NOT NULL,
    deadline         INTEGER,
    concurrency_key  TEXT,
    fails_unmatched  INTEGER NOT NULL DEFAULT 0,  -- unless its policy says wait
    attempts         INTEGER NOT NULL,
    crashes          INTEGER NOT NULL,
    requeues         INTEGER NOT NULL,
    last_lease       INTEGER NOT NULL,     -- the lease that was handed back or recovered; 0: none
    PRIMARY KEY (route_id, keyed, priority, run_at, task_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ready_task ON ready (task_id);
CREATE INDEX ready_key ON ready (concurrency_key, route_id, priority, run_at, task_id) WHERE concurrency_key IS NOT NULL;
CREATE INDEX ready_deadline ON ready (deadline) WHERE deadline IS NOT NULL;

-- PENDING, out of reach, and why.
CREATE TABLE waiting (
    task_id          BLOB PRIMARY KEY,
    why              TEXT NOT NULL CHECK (why = 'future' OR why = 'key' OR why = 'overdue' OR why = 'job'),
    route_id         INTEGER NOT NULL,
    priority         INTEGER NOT NULL,
    run_at           INTEGER NOT NULL,
    deadline         INTEGER,
    concurrency_key  TEXT,
    fails_unmatched  INTEGER NOT NULL DEFAULT 0,  -- unless its policy says wait
    attempts         INTEGER NOT NULL,
    crashes          INTEGER NOT NULL,
    requeues         INTEGER NOT NULL,
    last_lease       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_future ON waiting (route_id, run_at) WHERE why = 'future';
CREATE INDEX waiting_key ON waiting (concurrency_key, why, route_id, priority, run_at, task_id)
    WHERE concurrency_key IS NOT NULL;
CREATE INDEX waiting_deadline ON waiting (deadline) WHERE deadline IS NOT NULL;

-- CLAIMED (started_at is NULL) or RUNNING. Small: what is in flight on one machine. Without an index by worker, which every
-- claim and finish would pay for: a beat reads it whole.
CREATE TABLE lease (
    task_id          BLOB PRIMARY KEY,
    lease            INTEGER NOT NULL,
    worker_id        BLOB NOT NULL,
    claimed_at       INTEGER NOT NULL,
    started_at       INTEGER,
    route_id         INTEGER NOT NULL,
    priority         INTEGER NOT NULL,
    run_at           INTEGER NOT NULL,
    deadline         INTEGER,
    concurrency_key  TEXT,
    fails_unmatched  INTEGER NOT NULL DEFAULT 0,  -- unless its policy says wait
    attempts         INTEGER NOT NULL,
    crashes          INTEGER NOT NULL,
    requeues         INTEGER NOT NULL,
    -- 'pause': its job was paused before it started; its worker learns that when it asks for the start
    stop_requested   TEXT CHECK (stop_requested = 'cancel' OR stop_requested = 'timeout' OR stop_requested = 'pause'),
    unlisted_beats   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The last lease number handed out. One row.
CREATE TABLE lease_number (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    last  INTEGER NOT NULL
) STRICT;
INSERT INTO lease_number VALUES (1, 0);

-- Terminal, with the task's last run (started_at is NULL: it ended without one). Never updated; see the trigger.
CREATE TABLE ending (
    task_id        BLOB PRIMARY KEY,
    state          TEXT NOT NULL CHECK (state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED' OR state = 'EXPIRED'),
    finished_at    INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    crashes        INTEGER NOT NULL,
    requeues       INTEGER NOT NULL,
    run_at         INTEGER NOT NULL,
    lease          INTEGER,                -- of the last run
    worker_id      BLOB,
    claimed_at     INTEGER,
    started_at     INTEGER,
    run_end        TEXT CHECK (run_end = 'COMPLETED' OR run_end = 'FAILED' OR run_end = 'CRASHED' OR run_end = 'STOPPED'
                                      OR run_end = 'STOPPED_CLEANLY' OR run_end = 'CANCELLED'),
    attempt        INTEGER,
    result         TEXT,
    error_code     TEXT,
    error_message  TEXT,
    error_data     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX ending_not_completed ON ending (state, task_id) WHERE state <> 'COMPLETED';

CREATE TRIGGER ending_is_final BEFORE UPDATE ON ending
BEGIN SELECT RAISE(ABORT, 'a terminal task never changes'); END;

-- Runs that did not end their task. Written once.
CREATE TABLE attempt (
    task_id        BLOB NOT NULL,
    lease          INTEGER NOT NULL,
    attempt        INTEGER NOT NULL,
    worker_id      BLOB NOT NULL,
    claimed_at     INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    finished_at    INTEGER NOT NULL,
    run_end        TEXT NOT NULL CHECK (run_end = 'FAILED' OR run_end = 'CRASHED' OR run_end = 'STOPPED' OR run_end = 'STOPPED_CLEANLY'),
    error_code     TEXT,
    error_message  TEXT,
    error_data     TEXT,
    PRIMARY KEY (task_id, lease)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempt_is_final BEFORE UPDATE ON attempt
BEGIN SELECT RAISE(ABORT, 'an attempt is written once'); END;

-- What a run reported last; a later attempt starts from the checkpoint.
CREATE TABLE progress (
    task_id     BLOB PRIMARY KEY,
    fraction    REAL,
    text        TEXT,
    checkpoint  TEXT,
    saved_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Concurrency keys: a limit each, and a row per slot in use. A slot is freed in the transaction that ends the lease. A key
-- belongs to a queue, and its row names it; a row with the queue '' is of a key that is declared shared, and counts for the
-- tasks of all queues. A slot names its task's queue.
CREATE TABLE concurrency (
    key        TEXT NOT NULL,
    queue      TEXT NOT NULL,
    max_slots  INTEGER NOT NULL CHECK (max_slots >= 1),
    declared   INTEGER NOT NULL CHECK (declared = 1 OR (declared = 0 AND queue <> '')),  -- 1: its limit is fixed
    PRIMARY KEY (key, queue)
) STRICT, WITHOUT ROWID;
CREATE TABLE slot (
    key      TEXT NOT NULL,
    queue    TEXT NOT NULL,
    slot     INTEGER NOT NULL,
    task_id  BLOB NOT NULL UNIQUE,
    PRIMARY KEY (key, queue, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id  BLOB NOT NULL,
    lease    INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    stream   TEXT NOT NULL,
    text     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    UNIQUE (task_id, lease, sequence)
) STRICT;
CREATE INDEX log_task ON log (task_id, id);

CREATE TABLE event (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    task_id    BLOB,
    worker_id  BLOB,
    who        TEXT NOT NULL,
    message    TEXT NOT NULL,
    data       TEXT,
    job_id     BLOB,                       -- also of events about the task of one of its steps
    queue      TEXT,                       -- that it belongs to; NULL: to none, or to several
    is_order   INTEGER NOT NULL DEFAULT 0  -- a person or an application gave an order: it outlives what it is about
) STRICT;
CREATE INDEX event_order ON event (id) WHERE is_order = 1;
CREATE INDEX event_job ON event (job_id, id) WHERE job_id IS NOT NULL;
CREATE INDEX event_task ON event (task_id, id) WHERE task_id IS NOT NULL;
CREATE INDEX event_worker ON event (worker_id, id) WHERE worker_id IS NOT NULL;

CREATE TABLE worker (
    id                 BLOB PRIMARY KEY,
    number             INTEGER NOT NULL UNIQUE,
    name               TEXT NOT NULL,
    status             TEXT NOT NULL CHECK (status = 'active' OR status = 'draining' OR status = 'inactive'),
    cordoned           INTEGER NOT NULL DEFAULT 0,
    drain_requested    INTEGER NOT NULL DEFAULT 0,
    hostname           TEXT NOT NULL,
    boot_id            TEXT NOT NULL,
    pid_namespace      INTEGER NOT NULL,
    pid                INTEGER NOT NULL,
    start_time         INTEGER NOT NULL,
    keeper_pid         INTEGER NOT NULL,
    keeper_start_time  INTEGER NOT NULL,
    version            TEXT NOT NULL,
    queues             TEXT NOT NULL,      -- JSON arrays
    tags               TEXT NOT NULL,
    capacity           INTEGER NOT NULL,
    beat_interval_us   INTEGER NOT NULL,
    fence_after_us     INTEGER NOT NULL,
    registered_at      INTEGER NOT NULL,
    last_heartbeat     INTEGER,
    beat               INTEGER NOT NULL DEFAULT 0,
    proves_session     INTEGER NOT NULL DEFAULT 0,
    held               TEXT NOT NULL DEFAULT '[]', -- JSON: [{"task","lease","running","pid","age_us"}]
    via                TEXT NOT NULL CHECK (via = 'store' OR via = 'server'),
    secret_hash        TEXT NOT NULL,              -- of the secret that the calls of a worker behind a server carry
    disconnected_at_beat  INTEGER,                 -- its beat when a server saw its stream end; a later one withdraws that
    exited_at_beat     INTEGER,                    -- the same of the testimony of its keeper that nothing of it is left
    CHECK ((via = 'server') = (secret_hash <> ''))
) STRICT, WITHOUT ROWID;

-- The last claim of each worker: asked again with the same request, it returns the same leases.
CREATE TABLE claim (
    worker_id    BLOB PRIMARY KEY,
    request      BLOB NOT NULL,
    first_lease  INTEGER NOT NULL,
    last_lease   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per beat that keeps history; the view unfolds it.
CREATE TABLE beat_history (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    worker_id  BLOB NOT NULL,
    sent_at    INTEGER NOT NULL,
    hostname   TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    held       TEXT NOT NULL
) STRICT;

CREATE TABLE worker_state (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    worker_id    BLOB NOT NULL,
    at           INTEGER NOT NULL,
    running      INTEGER NOT NULL,
    claimed      INTEGER NOT NULL,
    capacity     INTEGER NOT NULL,
    cpu_percent  REAL NOT NULL,
    memory_mb    REAL NOT NULL,
    load         REAL NOT NULL
) STRICT;
CREATE INDEX worker_state_worker ON worker_state (worker_id, id);

-- Who sweeps. One row.
CREATE TABLE sweep_lease (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    holder   TEXT NOT NULL,
    expires  INTEGER NOT NULL
) STRICT;
INSERT INTO sweep_lease VALUES (1, '', 0);

-- What each recovery service did last: who, when, its counts as JSON, why it failed.
CREATE TABLE sweep_note (
    service  TEXT PRIMARY KEY,
    who      TEXT NOT NULL,
    at       INTEGER NOT NULL,
    did      TEXT NOT NULL,
    failure  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Definitions of workflows, each with all that it starts. Shared by the jobs that were started with the same text.
CREATE TABLE workflow_definition (
    id      BLOB PRIMARY KEY,              -- follows from the text
    text    TEXT NOT NULL,                 -- JSON
    queues  TEXT NOT NULL                  -- of its tasks, sorted: its jobs belong to all of them. JSON array
) STRICT;

-- What never changes about a job.
CREATE TABLE job (
    id             BLOB PRIMARY KEY CHECK (length(id) = 16),
    definition_id  BLOB NOT NULL,
    workflow       TEXT NOT NULL,
    input          TEXT NOT NULL,          -- JSON
    root_id        BLOB NOT NULL,
    parent_id      BLOB,                   -- with the step (and item) that it was started for
    parent_step    INTEGER,
    parent_item    INTEGER,
    depth          INTEGER NOT NULL,
    retry_of       BLOB,
    created_at     INTEGER NOT NULL,
    timeout_us     INTEGER
) STRICT;
CREATE INDEX job_definition ON job (definition_id, id);
CREATE INDEX job_parent ON job (parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX job_root ON job (root_id, id) WHERE parent_id IS NOT NULL;

CREATE TRIGGER job_is_final BEFORE UPDATE ON job
BEGIN SELECT RAISE(ABORT, 'what was started never changes'); END;

-- What changes about a job. Narrow, because it is rewritten whenever a step ends.
CREATE TABLE job_progress (
    job_id         BLOB PRIMARY KEY,
    state          TEXT NOT NULL CHECK (state = 'PENDING' OR state = 'RUNNING' OR state = 'PAUSED'
                                        OR state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED'),
    open_steps     INTEGER NOT NULL,
    failed_steps   INTEGER NOT NULL,
    first_failed   INTEGER NOT NULL,
    started_at     INTEGER,
    finished_at    INTEGER,
    deadline       INTEGER,                -- none once it has ended
    cancel_code    TEXT,
    cancel_reason  TEXT,
    output         TEXT,
    error_code     TEXT,
    error_message  TEXT,
    error_data     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX job_progress_state ON job_progress (state, job_id);
CREATE INDEX job_progress_deadline ON job_progress (deadline) WHERE deadline IS NOT NULL;

CREATE TRIGGER terminal_job_is_final BEFORE UPDATE ON job_progress
WHEN OLD.state = 'COMPLETED' OR OLD.state = 'FAILED' OR OLD.state = 'CANCELLED'
BEGIN SELECT RAISE(ABORT, 'a terminal job never changes'); END;

-- Steps of jobs, and the items of those that are for_each. A task step is READY until its task ends.
CREATE TABLE step (
    job_id         BLOB NOT NULL,
    step           INTEGER NOT NULL,       -- its place in the definition
    item           INTEGER NOT NULL,       -- -1: the step itself
    state          TEXT NOT NULL CHECK (state = 'WAITING' OR state = 'READY' OR state = 'RUNNING' OR state = 'COMPLETED'
                                        OR state = 'FAILED' OR state = 'SKIPPED' OR state = 'CANCELLED'),
    open           INTEGER NOT NULL,       -- how its dependencies have ended so far; of a RUNNING for_each: its items
    succeeded      INTEGER NOT NULL,
    failed         INTEGER NOT NULL,
    skipped        INTEGER NOT NULL,
    begun_items    INTEGER NOT NULL,
    under_way      INTEGER NOT NULL,
    task_id        BLOB,
    child_id       BLOB,
    ready_at       INTEGER,
    finished_at    INTEGER,
    wakes_at       INTEGER,                -- of a RUNNING wait or approval
    value          TEXT,
    output         TEXT,
    error_code     TEXT,
    error_message  TEXT,
    error_data     TEXT,
    PRIMARY KEY (job_id, step, item)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX step_task ON step (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX step_wakes ON step (wakes_at) WHERE wakes_at IS NOT NULL;

CREATE TRIGGER terminal_step_is_final BEFORE UPDATE ON step
WHEN OLD.state = 'COMPLETED' OR OLD.state = 'FAILED' OR OLD.state = 'SKIPPED' OR OLD.state = 'CANCELLED'
BEGIN SELECT RAISE(ABORT, 'a terminal step never changes'); END;

CREATE TABLE schedule (
    name           TEXT PRIMARY KEY,
    timing         TEXT NOT NULL,          -- JSON
    definition     TEXT NOT NULL,          -- JSON, of the jobs that it starts
    input          TEXT NOT NULL,          -- JSON
    paused         INTEGER NOT NULL DEFAULT 0 CHECK (paused = 0 OR paused = 1),
    created_at     INTEGER NOT NULL,
    decided_until  INTEGER NOT NULL,       -- every slot up to this one has been fired, skipped or missed
    last_job_id    BLOB
) STRICT, WITHOUT ROWID;

-- A task is in exactly one place: ready, waiting, lease or ending. Its row in `task` is never updated. Moving it is a
-- delete here and an insert there, so the tables that every claim, start and finish touches stay small and narrow.
-- The columns from route_id to last_lease travel with it.

-- The time that rows are stamped with: one value per statement. Tests set holdfast.clock (microseconds since 1970).
CREATE FUNCTION holdfast.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN coalesce(current_setting('holdfast.clock', true), '') = '' THEN statement_timestamp()
                ELSE timestamptz 'epoch' + current_setting('holdfast.clock')::double precision * interval '1 microsecond' END
$$;

-- An interned (queue, set of tags). Claims go by route.
CREATE TABLE holdfast.route (
    id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue  text COLLATE "C" NOT NULL,
    tags   text[] COLLATE "C" NOT NULL,  -- sorted, without duplicates
    UNIQUE (queue, tags)
);

CREATE TABLE holdfast.queue (
    name    text COLLATE "C" PRIMARY KEY,
    paused  boolean NOT NULL DEFAULT false
);

-- Rules about values of the tables that every task passes. As domains, because a session reads the rule of a domain once,
-- and that of a CHECK of a table anew in each statement, which cost 7 % of the submit of a task.
CREATE DOMAIN holdfast.task_priority AS integer CHECK (VALUE BETWEEN 1 AND 100);
CREATE DOMAIN holdfast.slot_limit AS integer CHECK (VALUE >= 1);
-- 'pause': its job was paused before it started; its worker learns that when it asks for the start
CREATE DOMAIN holdfast.stop_reason AS text COLLATE "C" CHECK (VALUE IN ('cancel', 'timeout', 'pause'));
CREATE DOMAIN holdfast.end_state AS text COLLATE "C" CHECK (VALUE IN ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'));
CREATE DOMAIN holdfast.run_end AS text COLLATE "C"
    CHECK (VALUE IN ('COMPLETED', 'FAILED', 'CRASHED', 'STOPPED', 'STOPPED_CLEANLY', 'CANCELLED'));

-- What was submitted.
CREATE TABLE holdfast.task (
    id                 uuid PRIMARY KEY,
    run_at             timestamptz NOT NULL,
    deadline           timestamptz,
    created_at         timestamptz NOT NULL,
    route_id           integer NOT NULL,
    priority           holdfast.task_priority NOT NULL,
    concurrency_limit  holdfast.slot_limit,
    name               text COLLATE "C" NOT NULL,
    args               text NOT NULL,     -- JSON, kept as it came
    spec               text,              -- NULL: a registered function
    policy             jsonb,             -- NULL: all default
    concurrency_key    text COLLATE "C",
    idempotency_key    text COLLATE "C",
    retry_of           uuid,
    -- Whether lists by name need an index entry for it. NULL, which takes no space: its route has the tag task:NAME, as
    -- that of a function's task has, and lists find it by that.
    by_name            boolean DEFAULT true
);
CREATE UNIQUE INDEX task_idempotency_key ON holdfast.task (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- PENDING, in reach of claims. Tasks with a key stand in an index of their own, because claims that prefetch pass them by.
CREATE TABLE holdfast.ready (
    task_id          uuid PRIMARY KEY,
    run_at           timestamptz NOT NULL,
    deadline         timestamptz,
    last_lease       bigint NOT NULL,     -- the lease that was handed back or recovered; 0: none
    route_id         integer NOT NULL,
    priority         integer NOT NULL,
    attempts         integer NOT NULL,
    crashes          integer NOT NULL,
    requeues         integer NOT NULL,
    fails_unmatched  boolean NOT NULL DEFAULT false,  -- unless its policy says wait
    concurrency_key  text COLLATE "C",
    -- The transaction that put it in reach. Nobody but the default may set it: see claim_position in 0004.
    born             xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX ready_plain ON holdfast.ready (route_id, priority, run_at, task_id) WHERE concurrency_key IS NULL;
CREATE INDEX ready_keyed ON holdfast.ready (route_id, priority, run_at, task_id) WHERE concurrency_key IS NOT NULL;
CREATE INDEX ready_key ON holdfast.ready (concurrency_key, route_id, priority, run_at, task_id)
    WHERE concurrency_key IS NOT NULL;
CREATE INDEX ready_deadline ON holdfast.ready (deadline) WHERE deadline IS NOT NULL;
-- By `born` alone, and of all rows: otherwise the planner would take it, now and then, for a claim by route.
CREATE INDEX ready_born ON holdfast.ready (born);
-- Tells a claim whether a route has tasks with keys. Entries of equal value share their space, so that those of tasks that
-- were parked in masses, dead until the next vacuum, are passed by eight times faster than in ready_keyed. It is made
-- last, because the planner prefers the younger of two indexes that look equally good.
CREATE INDEX ready_keyed_route ON holdfast.ready (route_id) WHERE concurrency_key IS NOT NULL;

-- PENDING, out of reach, and why.
CREATE TABLE holdfast.waiting (
    task_id          uuid PRIMARY KEY,
    run_at           timestamptz NOT NULL,
    deadline         timestamptz,
    last_lease       bigint NOT NULL,
    route_id         integer NOT NULL,
    priority         integer NOT NULL,
    attempts         integer NOT NULL,
    crashes          integer NOT NULL,
    requeues         integer NOT NULL,
    fails_unmatched  boolean NOT NULL DEFAULT false,  -- unless its policy says wait
    concurrency_key  text COLLATE "C",
    why              text COLLATE "C" NOT NULL CHECK (why IN ('future', 'key', 'overdue', 'job'))
);
CREATE INDEX waiting_future ON holdfast.waiting (route_id, run_at) WHERE why = 'future';
CREATE INDEX waiting_key ON holdfast.waiting (concurrency_key, why, route_id, priority, run_at, task_id)
    WHERE concurrency_key IS NOT NULL;
CREATE INDEX waiting_deadline ON holdfast.waiting (deadline) WHERE deadline IS NOT NULL;

-- Lease numbers: rank * 2^40 + n, see 0013. Without a cache, so that a later claim always has the larger number.
CREATE SEQUENCE holdfast.lease_number START 1099511627777 CACHE 1;

-- CLAIMED (started_at is NULL) or RUNNING.
CREATE TABLE holdfast.lease (
    task_id          uuid PRIMARY KEY,
    worker_id        uuid NOT NULL,
    lease            bigint NOT NULL,
    claimed_at       timestamptz NOT NULL,
    started_at       timestamptz,
    run_at           timestamptz NOT NULL,
    deadline         timestamptz,
    route_id         integer NOT NULL,
    priority         integer NOT NULL,
    attempts         integer NOT NULL,
    crashes          integer NOT NULL,
    requeues         integer NOT NULL,
    unlisted_beats   integer NOT NULL DEFAULT 0,
    fails_unmatched  boolean NOT NULL DEFAULT false,
    concurrency_key  text COLLATE "C",
    stop_requested   holdfast.stop_reason
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX lease_worker ON holdfast.lease (worker_id, lease);

-- Terminal, with the task's last run (started_at is NULL: it ended without one). Never updated; see the trigger.
CREATE TABLE holdfast.ending (
    task_id        uuid PRIMARY KEY,
    worker_id      uuid,
    lease          bigint,                -- of the last run
    finished_at    timestamptz NOT NULL,
    claimed_at     timestamptz,
    started_at     timestamptz,
    run_at         timestamptz NOT NULL,
    attempts       integer NOT NULL,
    crashes        integer NOT NULL,
    requeues       integer NOT NULL,
    attempt        integer,
    state          holdfast.end_state NOT NULL,
    run_end        holdfast.run_end,
    result         text,
    error_code     text,
    error_message  text,
    error_data     text
);
CREATE INDEX ending_not_completed ON holdfast.ending (state, task_id) WHERE state <> 'COMPLETED';

-- Runs that did not end their task. Written once.
CREATE TABLE holdfast.attempt (
    task_id        uuid NOT NULL,
    lease          bigint NOT NULL,
    worker_id      uuid NOT NULL,
    claimed_at     timestamptz NOT NULL,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz NOT NULL,
    attempt        integer NOT NULL,
    run_end        text COLLATE "C" NOT NULL CHECK (run_end IN ('FAILED', 'CRASHED', 'STOPPED', 'STOPPED_CLEANLY')),
    error_code     text,
    error_message  text,
    error_data     text,
    PRIMARY KEY (task_id, lease)
);

CREATE FUNCTION holdfast.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER ending_is_final BEFORE UPDATE ON holdfast.ending
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.refuse_change('a terminal task never changes');
CREATE TRIGGER attempt_is_final BEFORE UPDATE ON holdfast.attempt
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.refuse_change('an attempt is written once');
CREATE TRIGGER task_is_final BEFORE UPDATE ON holdfast.task
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.refuse_change('what was submitted never changes');

-- Definitions of workflows, each with all that it starts. Shared by the jobs that were started with the same text.
CREATE TABLE holdfast.workflow_definition (
    id      uuid PRIMARY KEY,             -- follows from the text
    text    text NOT NULL,                -- JSON
    queues  text[] COLLATE "C" NOT NULL   -- of its tasks, sorted: its jobs belong to all of them
);

-- What never changes about a job.
CREATE TABLE holdfast.job (
    id             uuid PRIMARY KEY,
    definition_id  uuid NOT NULL,
    workflow       text COLLATE "C" NOT NULL,
    input          text NOT NULL,         -- JSON
    root_id        uuid NOT NULL,
    parent_id      uuid,                  -- with the step (and item) that it was started for
    parent_step    integer,
    parent_item    integer,
    depth          integer NOT NULL,
    retry_of       uuid,
    created_at     timestamptz NOT NULL,
    timeout_us     bigint
);
CREATE INDEX job_definition ON holdfast.job (definition_id, id);
CREATE INDEX job_parent ON holdfast.job (parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX job_root ON holdfast.job (root_id, id) WHERE parent_id IS NOT NULL;
CREATE TRIGGER job_is_final BEFORE UPDATE ON holdfast.job
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.refuse_change('what was started never changes');

-- What changes about a job. Narrow, and with room beside it, because it is rewritten whenever a step ends. The row of
-- the job at the top is the lock of its whole tree: every change to one of its jobs or steps holds it FOR UPDATE.
CREATE TABLE holdfast.job_progress (
    job_id         uuid PRIMARY KEY,
    state          text COLLATE "C" NOT NULL
                   CHECK (state IN ('PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED')),
    open_steps     integer NOT NULL,
    failed_steps   integer NOT NULL,
    first_failed   integer NOT NULL,
    started_at     timestamptz,
    finished_at    timestamptz,
    deadline       timestamptz,           -- none once it has ended
    cancel_code    text,
    cancel_reason  text,
    output         text,
    error_code     text,
    error_message  text,
    error_data     text
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX job_progress_state ON holdfast.job_progress (state, job_id);
CREATE INDEX job_progress_open ON holdfast.job_progress (job_id) WHERE state IN ('PENDING', 'RUNNING', 'PAUSED');
CREATE INDEX job_progress_deadline ON holdfast.job_progress (deadline) WHERE deadline IS NOT NULL;
CREATE TRIGGER terminal_job_is_final BEFORE UPDATE ON holdfast.job_progress
    FOR EACH ROW WHEN (OLD.state IN ('COMPLETED', 'FAILED', 'CANCELLED'))
    EXECUTE FUNCTION holdfast.refuse_change('a terminal job never changes');

-- Steps of jobs, and the items of those that are for_each. A task step is READY until its task ends. (No index names the
-- state, so that the end of a step is written beside it and touches no index.)
CREATE TABLE holdfast.step (
    job_id         uuid NOT NULL,
    step           integer NOT NULL,      -- its place in the definition
    item           integer NOT NULL,      -- -1: the step itself
    state          text COLLATE "C" NOT NULL
                   CHECK (state IN ('WAITING', 'READY', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')),
    open           integer NOT NULL,      -- how its dependencies have ended so far; of a RUNNING for_each: its items
    succeeded      integer NOT NULL,
    failed         integer NOT NULL,
    skipped        integer NOT NULL,
    begun_items    integer NOT NULL,
    under_way      integer NOT NULL,
    task_id        uuid,
    child_id       uuid,
    ready_at       timestamptz,
    finished_at    timestamptz,
    wakes_at       timestamptz,           -- of a RUNNING wait or approval
    value          text,
    output         text,
    error_code     text,
    error_message  text,
    error_data     text,
    PRIMARY KEY (job_id, step, item)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX step_task ON holdfast.step (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX step_wakes ON holdfast.step (wakes_at) WHERE wakes_at IS NOT NULL;
CREATE TRIGGER terminal_step_is_final BEFORE UPDATE ON holdfast.step
    FOR EACH ROW WHEN (OLD.state IN ('COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'))
    EXECUTE FUNCTION holdfast.refuse_change('a terminal step never changes');

CREATE TABLE holdfast.schedule (
    name           text COLLATE "C" PRIMARY KEY,
    timing         text NOT NULL,         -- JSON
    definition     text NOT NULL,         -- JSON, of the jobs that it starts
    input          text NOT NULL,         -- JSON
    paused         boolean NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL,
    decided_until  timestamptz NOT NULL,  -- every slot up to this one has been fired, skipped or missed
    last_job_id    uuid
);

-- What a run reported last; a later attempt starts from the checkpoint.
CREATE TABLE holdfast.progress (
    task_id     uuid PRIMARY KEY,
    fraction    double precision,
    text        text,
    checkpoint  text,
    saved_at    timestamptz NOT NULL
) WITH (fillfactor = 70);

-- Concurrency keys: a limit each, and a row per slot in use. A slot is freed in the transaction that ends the lease.
-- Slots are changed only by a transaction that has locked the key's row. A key belongs to a queue, and its row names it; a row
-- with the queue '' is of a key that is declared shared, and counts for the tasks of all queues. A slot names its task's queue.
CREATE TABLE holdfast.concurrency (
    key        text COLLATE "C" NOT NULL,
    queue      text COLLATE "C" NOT NULL,
    max_slots  integer NOT NULL CHECK (max_slots >= 1),
    declared   boolean NOT NULL,          -- its limit is fixed; otherwise it follows the submits
    PRIMARY KEY (key, queue),
    CHECK (declared OR queue <> '')
);
CREATE TABLE holdfast.slot (
    key      text COLLATE "C" NOT NULL,
    queue    text COLLATE "C" NOT NULL,
    slot     integer NOT NULL,
    task_id  uuid NOT NULL UNIQUE,
    PRIMARY KEY (key, queue, slot)
);

CREATE TABLE holdfast.log (
    id        bigint GENERATED ALWAYS AS IDENTITY,
    task_id   uuid NOT NULL,
    lease     bigint NOT NULL,
    sequence  integer NOT NULL,
    stream    text COLLATE "C" NOT NULL,
    text      text NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (task_id, id),
    UNIQUE (task_id, lease, sequence)
);

CREATE TABLE holdfast.event (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    task_id    uuid,
    worker_id  uuid,
    job_id     uuid,                      -- also of events about the task of one of its steps
    who        text NOT NULL,
    message    text NOT NULL,
    data       text,
    queue      text COLLATE "C",          -- that it belongs to; NULL: to none, or to several
    is_order   boolean NOT NULL DEFAULT false  -- a person or an application gave an order: it outlives what it is about
);
CREATE INDEX event_order ON holdfast.event (id) WHERE is_order;
CREATE INDEX event_task ON holdfast.event (task_id, id) WHERE task_id IS NOT NULL;
CREATE INDEX event_job ON holdfast.event (job_id, id) WHERE job_id IS NOT NULL;
CREATE INDEX event_worker ON holdfast.event (worker_id, id) WHERE worker_id IS NOT NULL;

CREATE TABLE holdfast.worker (
    id                 uuid PRIMARY KEY,
    number             bigint NOT NULL UNIQUE,
    name               text NOT NULL,
    status             text COLLATE "C" NOT NULL CHECK (status IN ('active', 'draining', 'inactive')),
    cordoned           boolean NOT NULL DEFAULT false,
    drain_requested    boolean NOT NULL DEFAULT false,
    hostname           text NOT NULL,
    boot_id            text NOT NULL,
    pid_namespace      bigint NOT NULL,
    pid                integer NOT NULL,
    start_time         bigint NOT NULL,
    keeper_pid         integer NOT NULL,
    keeper_start_time  bigint NOT NULL,
    version            text NOT NULL,
    queues             text[] COLLATE "C" NOT NULL,
    tags               text[] COLLATE "C" NOT NULL,
    capacity           integer NOT NULL,
    beat_interval_us   bigint NOT NULL,
    fence_after_us     bigint NOT NULL,
    registered_at      timestamptz NOT NULL,
    last_heartbeat     timestamptz,
    beat               bigint NOT NULL DEFAULT 0,
    proves_session     boolean NOT NULL DEFAULT false,
    held               jsonb NOT NULL DEFAULT '[]', -- [{"task","lease","running","pid","age_us"}]
    via                text COLLATE "C" NOT NULL CHECK (via IN ('store', 'server')),
    secret_hash        text NOT NULL,               -- of the secret that the calls of a worker behind a server carry
    disconnected_at_beat  bigint,                   -- its beat when a server saw its stream end; a later one withdraws that
    exited_at_beat     bigint,                      -- the same of the testimony of its keeper that nothing of it is left
    CHECK ((via = 'server') = (secret_hash <> ''))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- The last claim of each worker that took something: asked again with the same request, it returns the same leases. A row per
-- claim, and not one that is updated: as long as a snapshot is held, every look at such a row would pass all of its versions.
CREATE TABLE holdfast.claim (
    worker_id    uuid NOT NULL,
    request      uuid NOT NULL,
    first_lease  bigint NOT NULL,
    last_lease   bigint NOT NULL,
    PRIMARY KEY (worker_id, request)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- One row per beat that keeps history; the view unfolds it.
CREATE TABLE holdfast.beat_history (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_id  uuid NOT NULL,
    sent_at    timestamptz NOT NULL,
    hostname   text NOT NULL,
    pid        integer NOT NULL,
    held       jsonb NOT NULL
);

CREATE TABLE holdfast.worker_state (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_id    uuid NOT NULL,
    at           timestamptz NOT NULL,
    running      integer NOT NULL,
    claimed      integer NOT NULL,
    capacity     integer NOT NULL,
    cpu_percent  double precision NOT NULL,
    memory_mb    double precision NOT NULL,
    load         double precision NOT NULL
);
CREATE INDEX worker_state_worker ON holdfast.worker_state (worker_id, id);

-- Who sweeps. One row.
CREATE TABLE holdfast.sweep_lease (
    id       integer PRIMARY KEY CHECK (id = 1),
    holder   text NOT NULL,
    expires  timestamptz NOT NULL
);
INSERT INTO holdfast.sweep_lease VALUES (1, '', 'epoch');

-- What each recovery service did last: who, when, its counts as JSON, why it failed.
CREATE TABLE holdfast.sweep_note (
    service  text PRIMARY KEY,
    who      text NOT NULL,
    at       timestamptz NOT NULL,
    did      text NOT NULL,
    failure  text NOT NULL
);

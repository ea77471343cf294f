/** What the server's API says: docs/api.md, docs/cli.md "The task object" and "The job object". */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** RFC 3339, UTC. */
export type Time = string;

export interface Page<T> {
    items: T[];
    next: string | null;
}

export const taskStates = ['PENDING', 'CLAIMED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;
export type TaskState = (typeof taskStates)[number];
export const jobStates = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobState = (typeof jobStates)[number];
export type StepState = 'WAITING' | 'READY' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';

export interface Failure {
    code: string;
    message: string;
    data: Json;
}
export interface Progress {
    fraction: number;
    text: string;
    at: Time;
}

export interface Task {
    id: string;
    name: string;
    state: TaskState;
    waits_for: string | null;
    queue: string;
    priority: number;
    tags: string[];
    args: Json;
    spec: Json;
    result: Json;
    error: Failure | null;
    created_at: Time;
    run_at: Time | null;
    deadline: Time | null;
    claimed_at: Time | null;
    started_at: Time | null;
    finished_at: Time | null;
    attempts: number;
    crashes: number;
    requeues: number;
    lease: number | null;
    worker: string | null;
    cancel_requested: boolean;
    retry_of: string | null;
    idempotency_key: string | null;
    concurrency: { key: string; limit: number } | null;
    policy: { [key: string]: Json };
    progress: Progress | null;
    checkpoint: Json;
}
export type AttemptEnd = 'COMPLETED' | 'FAILED' | 'CRASHED' | 'STOPPED' | 'STOPPED_CLEANLY' | 'CANCELLED';
export interface Attempt {
    number: number;
    end: AttemptEnd;
    error: Failure | null;
    lease: number;
    worker: string | null;
    claimed_at: Time;
    started_at: Time;
    finished_at: Time;
}
export interface HistoryEvent {
    id: number;
    at: Time;
    kind: string;
    who: string;
    message: string;
    worker: string | null;
    data: Json;
    task?: string | null;
    job?: string | null;
}
export interface Waiting {
    for: string;
    sentence: string;
    tasks: string[];
    workers: string[];
}
export interface TaskStory {
    task: Task;
    step: { job: string; name: string; hook: boolean } | null;
    waiting: Waiting | null;
    attempts: Attempt[];
    events: HistoryEvent[];
}
export interface LogPiece {
    offset: number;
    at: Time;
    lease: number;
    stream: string;
    text: string;
    step?: string;
    task?: string;
}
export interface LogPage<T = LogPiece> {
    items: T[];
    next: number | string;
    ended: boolean;
}

export interface StepCounts {
    waiting: number;
    ready: number;
    running: number;
    completed: number;
    failed: number;
    skipped: number;
    cancelled: number;
}
export interface Job {
    id: string;
    workflow: string;
    state: JobState;
    input: Json;
    output: Json;
    error: Failure | null;
    cancel_requested: boolean;
    created_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
    deadline: Time | null;
    root: string | null;
    parent: string | null;
    parent_step: string | null;
    depth: number;
    retry_of: string | null;
    steps: StepCounts;
}
export interface Step {
    name: string;
    item: number | null;
    hook: boolean;
    kind: string;
    state: StepState;
    task: string | null;
    child: string | null;
    attempts: number;
    ready_at: Time | null;
    started_at: Time | null;
    finished_at: Time | null;
    wakes_at: Time | null;
    message: string | null;
    output: Json;
    error: Failure | null;
    progress: Progress | null;
    items: StepCounts | null;
    depends_on?: string[];
}
export interface Edge {
    from: string;
    to: string;
}
export interface JobStory {
    job: Job;
    steps: Step[];
    edges: Edge[];
}

export interface Worker {
    id: string;
    name: string;
    status: 'active' | 'draining' | 'inactive';
    cordoned: boolean;
    drain_requested: boolean;
    fresh: boolean;
    last_heartbeat: Time;
    seconds_ago: number;
    running: number;
    claimed: number;
    capacity: number;
    queues: string[];
    tags: string[];
    version: string;
    host: string;
    pid: number;
    registered_at: Time;
}
export interface Snapshot {
    at: Time;
    running: number;
    claimed: number;
    capacity: number;
    cpu_percent: number;
    memory_mb: number;
    machine_load: number;
}
export interface WorkerStory {
    worker: Worker;
    tasks: { id: string; name: string; state: TaskState; lease: number }[];
    machine: Snapshot | null;
    events: HistoryEvent[];
}

export interface Queue {
    name: string;
    paused: boolean;
    pending: number;
    in_flight: number;
}
export interface Schedule {
    name: string;
    paused: boolean;
    timing: { [key: string]: Json } | string;
    workflow: string;
    input: Json;
    created_at: Time;
    decided_until: Time | null;
    last_job: string | null;
    last_state: JobState | null;
    next: { at: Time; local: string }[];
    problem: string | null;
}

export interface Service {
    service: string;
    who: string;
    at: Time | null;
    did: { [what: string]: number } | null;
    failure: string | null;
}
export interface Replica {
    id: string;
    host: string;
    pid: number;
    version: string;
    address: string;
    started_at: Time;
    last_heartbeat: Time;
    seconds_ago: number;
    sweeping: boolean;
}
export type Evidence = 'alive' | 'silent' | 'unregistered' | 'disconnected' | 'rebooted' | 'exited';
export interface RecoveryStatus {
    sweeper: string | null;
    services: Service[];
    by_evidence: Record<Evidence, number>;
    workers: { id: string; name: string; host: string; evidence: Evidence; how: string }[];
    events: HistoryEvent[];
    replicas: Replica[];
}
export interface StaleTask {
    id: string;
    name: string;
    state: TaskState;
    lease: number;
    worker: string | null;
    worker_name: string | null;
    host: string | null;
    worker_is_alive: boolean;
    quiet_seconds: number;
}
export type SweepReport = { service: string; remarks: Json; failure: string | null } & { [count: string]: Json };

export interface CatalogTask {
    name: string;
    kind: string;
    queue: string;
    tags: string[];
    priority: number;
    timeout: string | null;
    retry: Json;
    on_crash: string | null;
    concurrency_key: string | null;
    parameters: string[];
}
export interface InputField {
    name: string;
    type: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'list' | 'object';
    required: boolean;
    default: Json;
    enum: Json[] | null;
    description: string | null;
}
export interface CatalogWorkflow {
    name: string;
    description: string | null;
    timeout: string | null;
    input: InputField[] | null;
    steps: { name: string; kind: string; depends_on: string[]; task: string | null; workflow: string | null }[];
}

export interface Attention {
    kind: string;
    severity: 'problem' | 'warning';
    text: string;
    link: { page: string; id: string | null } | null;
    count: number;
}
export type TaskCounts = Record<'pending' | 'claimed' | 'running' | 'completed' | 'failed' | 'cancelled' | 'expired', number>;
export type JobCounts = Record<'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled', number>;
export interface Overview {
    now: Time;
    version: string;
    store: string;
    tasks: TaskCounts;
    jobs: JobCounts;
    workers: Record<'fresh' | 'stale' | 'draining' | 'inactive' | 'capacity' | 'busy', number>;
    queues: Queue[];
    oldest_waiting: { task: string; seconds: number } | null;
    attention: Attention[];
}
export interface Percentiles {
    p50: number | null;
    p95: number | null;
    p99: number | null;
    max: number | null;
}
export interface StatsBucket {
    at: Time;
    completed: number;
    failed: number;
    cancelled: number;
    expired: number;
    recovered: number;
}
export interface Stats {
    window_seconds: number;
    complete: boolean;
    ended: number;
    buckets: StatsBucket[];
    wait: Percentiles | null;
    run: Percentiles | null;
    names: { name: string; completed: number; failed: number; run: Percentiles | null }[];
}

export const scopes = ['read', 'submit', 'operate', 'admin'] as const;
export type Scope = (typeof scopes)[number];
export interface Session {
    name: string;
    scope: Scope;
    queues: string[] | null;
    login: 'none' | 'token';
    version: string;
    store: string;
}
export interface Token {
    id: string;
    name: string;
    scope: Scope;
    queues: string[] | null;
    created_at: Time;
    created_by: string;
    expires_at: Time | null;
    revoked_at: Time | null;
    last_used_at: Time | null;
    last_used_from: string | null;
}

export interface Changed {
    tasks: boolean;
    jobs: boolean;
    workers: boolean;
    counts: TaskCounts;
}

/** RFC 9457. */
export interface Problem {
    type?: string;
    title: string;
    status: number;
    detail: string;
    code: string;
    errors?: { where: string; detail: string }[];
}

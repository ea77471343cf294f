/** What the API takes and answers. Made by scripts/update-types from its OpenAPI document: do not edit. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** RFC 3339, UTC. */
export type Time = string;

export const taskStates = ['PENDING', 'CLAIMED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;
export type TaskState = (typeof taskStates)[number];

export const waitReasons = ['future', 'key', 'overdue', 'job'] as const;
export type WaitReason = (typeof waitReasons)[number];

export const leaseEnds = ['COMPLETED', 'FAILED', 'CRASHED', 'STOPPED', 'STOPPED_CLEANLY', 'CANCELLED', 'NOT_STARTED'] as const;
export type LeaseEnd = (typeof leaseEnds)[number];

export const obstacles = ['overdue', 'future', 'backoff', 'key', 'paused', 'no_worker', 'worker_away', 'no_fresh_worker', 'no_open_worker', 'busy', 'nothing'] as const;
export type Obstacle = (typeof obstacles)[number];

export const jobStates = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobState = (typeof jobStates)[number];

export const stepStates = ['WAITING', 'READY', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;
export type StepState = (typeof stepStates)[number];

export const stepKinds = ['task', 'workflow', 'approval', 'wait'] as const;
export type StepKind = (typeof stepKinds)[number];

export const onCrashes = ['fail', 'requeue'] as const;
export type OnCrash = (typeof onCrashes)[number];

export const catalogKinds = ['function', 'script', 'container', 'pod'] as const;
export type CatalogKind = (typeof catalogKinds)[number];

export const inputTypes = ['any', 'text', 'number', 'integer', 'boolean', 'list', 'object'] as const;
export type InputType = (typeof inputTypes)[number];

export const workerStatuses = ['active', 'draining', 'inactive'] as const;
export type WorkerStatus = (typeof workerStatuses)[number];

export const vias = ['store', 'server'] as const;
export type Via = (typeof vias)[number];

export const evidences = ['alive', 'silent', 'unregistered', 'disconnected', 'rebooted', 'exited'] as const;
export type Evidence = (typeof evidences)[number];

export const severities = ['problem', 'warning'] as const;
export type Severity = (typeof severities)[number];

export const scopes = ['work', 'read', 'submit', 'operate', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export interface Error {
    code: string;
    message: string;
    data: Json;
}

export interface Progress {
    /** 0 to 1 */
    fraction: number;
    text: string;
    at: Time;
}

export interface ConcurrencyKey {
    key: string;
    limit: number;
}

export interface Task {
    id: string;
    name: string;
    state: TaskState;
    /** why it is PENDING and out of reach of claims */
    waits_for: WaitReason | null;
    queue: string;
    priority: number;
    tags: string[];
    args: Json;
    spec: Json;
    result: Json;
    error: Error | null;
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
    /** W3C trace context of its submitter */
    traceparent: string | null;
    concurrency: ConcurrencyKey | null;
    policy: Record<string, Json>;
    progress: Progress | null;
    checkpoint: Json;
}

export interface Attempt {
    number: number;
    end: LeaseEnd;
    error: Error | null;
    lease: number;
    worker: string | null;
    claimed_at: Time;
    started_at: Time;
    finished_at: Time;
}

export interface Event {
    id: number;
    at: Time;
    kind: string;
    /** a person, a worker, a sweeper */
    who: string;
    message: string;
    worker: string | null;
    data: Json;
}

export interface WholeEvent {
    id: number;
    at: Time;
    kind: string;
    /** a person, a worker, a sweeper */
    who: string;
    message: string;
    worker: string | null;
    data: Json;
    task: string | null;
    job: string | null;
}

export interface LogLine {
    offset: number;
    at: Time;
    lease: number;
    stream: string;
    text: string;
}

export interface StepOfTask {
    job: string;
    name: string;
    hook: boolean;
}

export interface Waiting {
    for: Obstacle;
    /** goes on from "the task" */
    sentence: string;
    /** that hold its concurrency key */
    tasks: string[];
    /** that have its queue and tags */
    workers: string[];
}

export interface TaskStory {
    task: Task;
    step: StepOfTask | null;
    waiting: Waiting | null;
    attempts: Attempt[];
    events: Event[];
}

export interface TaskCounts {
    pending: number;
    claimed: number;
    running: number;
    completed: number;
    failed: number;
    cancelled: number;
    expired: number;
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
    error: Error | null;
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
    queues: string[];
    steps: StepCounts;
}

export interface Step {
    name: string;
    item: number | null;
    hook: boolean;
    kind: StepKind;
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
    error: Error | null;
    progress: Progress | null;
    items: StepCounts | null;
}

export interface GraphStep {
    name: string;
    item: number | null;
    hook: boolean;
    kind: StepKind;
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
    error: Error | null;
    progress: Progress | null;
    items: StepCounts | null;
    depends_on: string[];
}

export interface Edge {
    from: string;
    to: string;
}

export interface JobStory {
    job: Job;
    steps: GraphStep[];
    edges: Edge[];
}

export interface StepLogLine {
    step: string;
    task: string;
    offset: number;
    at: Time;
    lease: number;
    stream: string;
    text: string;
}

export interface JobCounts {
    pending: number;
    running: number;
    paused: number;
    completed: number;
    failed: number;
    cancelled: number;
}

export interface Retry {
    max_attempts: number;
    delays: string[];
    base: string;
    factor: number;
    cap: string;
    jitter: number;
    retry_on: string[];
}

export interface CatalogTask {
    name: string;
    kind: CatalogKind;
    queue: string;
    tags: string[];
    priority: number;
    timeout: string | null;
    retry: Retry;
    on_crash: OnCrash;
    concurrency_key: string | null;
    /** members of the arguments that its templates use */
    parameters: string[];
}

export interface InputField {
    name: string;
    type: InputType;
    required: boolean;
    default: Json;
    /** null: all values of its type */
    enum: Json[] | null;
    description: string | null;
}

export interface CatalogStep {
    name: string;
    kind: StepKind;
    depends_on: string[];
    task: string | null;
    workflow: string | null;
}

export interface CatalogWorkflow {
    name: string;
    description: string | null;
    timeout: string | null;
    input: InputField[];
    steps: CatalogStep[];
}

export interface ConfigError {
    where: string;
    key: string | null;
    title: string;
    found: string | null;
    allowed: string | null;
    suggestion: string | null;
}

export interface Worker {
    id: string;
    name: string;
    status: WorkerStatus;
    cordoned: boolean;
    drain_requested: boolean;
    fresh: boolean;
    last_heartbeat: Time | null;
    seconds_ago: number;
    running: number;
    claimed: number;
    capacity: number;
    queues: string[];
    tags: string[];
    version: string;
    host: string;
    pid: number;
    /** what stands between it and the store */
    via: Via;
    registered_at: Time;
}

export interface HeldTask {
    id: string;
    name: string;
    state: TaskState;
    lease: number;
}

export interface WorkerState {
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
    tasks: HeldTask[];
    machine: WorkerState | null;
    events: Event[];
}

export interface Queue {
    name: string;
    paused: boolean;
    pending: number;
    in_flight: number;
}

export interface Key {
    key: string;
    /** whose it is; null: shared by all */
    queue: string | null;
    shared: boolean;
    /** the one in force */
    limit: number;
    /** its limit is fixed; otherwise it follows the submits */
    declared: boolean;
    /** tasks that are CLAIMED or RUNNING */
    held: number;
    /** tasks that have found it full */
    waiting: number;
}

export interface Slot {
    at: Time;
    local: string;
}

export interface Schedule {
    name: string;
    paused: boolean;
    timing: Json;
    workflow: string | null;
    input: Json;
    created_at: Time;
    decided_until: Time;
    last_job: string | null;
    last_state: JobState | null;
    next: Slot[];
    problem: string | null;
}

export interface ServiceNote {
    service: string;
    who: string;
    at: Time;
    did: Record<string, number> | null;
    failure: string | null;
}

export interface SeenWorker {
    id: string;
    name: string;
    host: string;
    evidence: Evidence;
    how: string;
}

export interface RecoveryEvent {
    id: number;
    at: Time;
    kind: string;
    /** a person, a worker, a sweeper */
    who: string;
    message: string;
    worker: string | null;
    data: Json;
    task: string | null;
}

export interface Recovery {
    sweeper: string | null;
    services: ServiceNote[];
    by_evidence: Record<string, number>;
    workers: SeenWorker[];
    events: RecoveryEvent[];
    replicas: Replica[];
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

export interface StaleTask {
    id: string;
    name: string;
    state: TaskState;
    lease: number;
    worker: string;
    worker_name: string | null;
    host: string | null;
    worker_is_alive: boolean;
    quiet_seconds: number;
}

export interface Settled {
    settled: number;
    /** workers that were asked to stop a run */
    asked: number;
}

export interface ServicePass {
    service: string;
    workers_lost: number;
    requeued: number;
    rerun: number;
    ended: number;
    asked: number;
    expired: number;
    rejected: number;
    woken: number;
    timed_out: number;
    mended: number;
    fired: number;
    pruned: number;
    skipped: number;
    remarks: string[];
    failure: string | null;
}

export interface Pruned {
    dry_run: boolean;
    tasks: number;
    jobs: number;
    workers: number;
    heartbeats: number;
    worker_states: number;
    /** lines of the audit */
    orders: number;
    more: boolean;
    /** why nothing was removed */
    doubt: string | null;
}

export interface Overview {
    now: Time;
    version: string;
    /** its URL without passwords; only for admins of all queues */
    store: string | null;
    tasks: TaskCounts;
    jobs: JobCounts;
    workers: WorkerCounts;
    queues: Queue[];
    oldest_waiting: OldestWaiting | null;
    attention: Concern[];
}

export interface Link {
    page: string;
    id: string | null;
}

export interface Concern {
    kind: string;
    severity: Severity;
    text: string;
    link: Link;
    count: number;
}

export interface WorkerCounts {
    fresh: number;
    stale: number;
    draining: number;
    inactive: number;
    capacity: number;
    busy: number;
}

export interface OldestWaiting {
    task: string;
    seconds: number;
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

export interface NameStats {
    name: string;
    completed: number;
    failed: number;
    run: Percentiles;
}

export interface Stats {
    window_seconds: number;
    complete: boolean;
    ended: number;
    buckets: StatsBucket[];
    wait: Percentiles;
    run: Percentiles;
    names: NameStats[];
}

export interface Token {
    id: string;
    name: string;
    scope: Scope;
    queues: string[];
    created_at: Time;
    created_by: string;
    expires_at: Time | null;
    revoked_at: Time | null;
    last_used_at: Time | null;
    last_used_from: string | null;
}

export interface NewToken {
    id: string;
    name: string;
    scope: Scope;
    queues: string[];
    created_at: Time;
    created_by: string;
    expires_at: Time | null;
    revoked_at: Time | null;
    last_used_at: Time | null;
    last_used_from: string | null;
    /** the secret, shown this once */
    token: string;
}

export interface PageSession {
    id: string;
    /** the name of its token */
    token: string;
    created_at: Time;
    created_from: string;
    last_used_at: Time;
    last_used_from: string;
}

export interface AuditLine {
    id: number;
    at: Time;
    /** the name of a token, a user, or an application */
    who: string;
    /** an address, or the machine and user of a command */
    from: string | null;
    /** the order */
    kind: string;
    message: string;
    queue: string | null;
    task: string | null;
    job: string | null;
    worker: string | null;
    /** the values that the order changed */
    before: Json;
    /** the same, afterwards */
    after: Json;
}

export const stopReasons = ['cancel', 'timeout'] as const;
export type StopReason = (typeof stopReasons)[number];

export const fenceds = ['applied', 'already', 'lease_lost', 'withdrawn', 'refused'] as const;
export type Fenced = (typeof fenceds)[number];

export const claimRefusals = ['none', 'unknown_worker', 'not_active', 'cordoned', 'put_off'] as const;
export type ClaimRefusal = (typeof claimRefusals)[number];

export interface WorkWelcome {
    /** of the server's program */
    version: string;
    /** the newest version of the protocol that the server speaks */
    protocol: number;
    /** the oldest one */
    oldest_protocol: number;
    /** of a request; a larger one is refused */
    max_body_bytes: number;
}

export interface WorkLease {
    task: string;
    lease: number;
}

export interface WorkWitness {
    /** of the store's history; 0: the worker has seen none yet */
    rank: number;
    number: number;
}

export interface WorkHost {
    hostname: string;
    boot_id: string;
    pid_namespace: number;
    pid: number;
    start_time: number;
    keeper_pid: number;
    keeper_start_time: number;
}

export interface WorkRegister {
    /** random, new at every start of the process */
    worker: string;
    name: string;
    /** for people: what runs where */
    host: WorkHost;
    /** of the worker's program */
    version: string;
    queues: string[];
    tags: string[];
    /** how many tasks it runs at once */
    capacity: number;
    beat_interval: number;
    /** by when after its last acknowledged beat it has surely fenced itself */
    fence_after: number;
}

export interface WorkRegistered {
    number: number;
    /** of the store's history */
    rank: number;
}

export interface WorkHeld {
    task: string;
    lease: number;
    running: boolean;
    /** 0: none */
    pid: number;
    /** of the runner's last beat to its worker */
    beat_age: number;
}

export interface WorkReport {
    task: string;
    lease: number;
    /** 0 to 1; null: unknown */
    fraction: number | null;
    text: string;
    /** JSON text; null: as it was */
    checkpoint: string | null;
}

export interface WorkBeat {
    worker: string;
    status: WorkerStatus;
    /** every lease that it holds */
    held: WorkHeld[];
    /** what changed since the last beat */
    progress: WorkReport[];
    /** also append to the history of heartbeats */
    keep_history: boolean;
    /** its last acknowledged beat */
    acknowledged: WorkWitness;
}

export interface WorkStop {
    task: string;
    lease: number;
    reason: StopReason;
}

export interface WorkBeaten {
    /** false: register again under the same id */
    known: boolean;
    /** of the store's history; a new one: register again, deliver outcomes again */
    rank: number;
    /** the number of this beat */
    beat: number;
    /** a person ordered the worker to drain */
    drain: boolean;
    /** a person ordered it to claim nothing */
    cordoned: boolean;
    /** listed, but not its leases any more: kill */
    lost: WorkLease[];
    /** asked to stop: kill, then finish */
    stop: WorkStop[];
    /** its leases that the beat did not list: hand back or settle */
    unlisted: WorkLease[];
}

export interface WorkFinish {
    task: string;
    lease: number;
    end: LeaseEnd;
    /** JSON text, of COMPLETED */
    result: string;
    error_code: string;
    error_message: string;
    /** JSON text; may be empty */
    error_data: string;
    /** drawn from 0 to 1, for the delay of a retry */
    jitter: number;
}

export interface WorkTurn {
    worker: string;
    /** chosen for the claim: the same one again answers with the same tasks */
    request: string;
    finish: WorkFinish[];
    /** CLAIMED: their leases end without a run */
    hand_back: WorkLease[];
    /** CLAIMED: a free runner waits for each */
    start: WorkLease[];
    /** claim so many that are RUNNING when this is answered */
    to_start: number;
    /** claim so many ahead, which stay CLAIMED */
    to_hold: number;
    /** that the worker has seen */
    highest_lease: WorkWitness;
    /** for other workers that use the same concurrency keys */
    may_wait: boolean;
}

export interface WorkFinished {
    fenced: Fenced;
    /** of the task now, when applied */
    state: TaskState;
}

export interface WorkTask {
    task: string;
    lease: number;
    started: boolean;
    name: string;
    /** JSON text */
    args: string;
    /** JSON text: what to execute; empty: a function of that name */
    spec: string;
    queue: string;
    tags: string[];
    priority: number;
    run_at: Time | null;
    deadline: Time | null;
    concurrency: ConcurrencyKey | null;
    idempotency_key: string;
    /** JSON text with what differs from the defaults */
    policy: string;
    retry_of: string | null;
    traceparent: string;
    /** before this lease */
    attempts: number;
    /** before this lease */
    crashes: number;
    /** before this lease */
    requeues: number;
    /** JSON text, of an earlier attempt; empty: none */
    checkpoint: string;
}

export interface WorkClaimed {
    refusal: ClaimRefusal;
    /** started ones first */
    tasks: WorkTask[];
    /** until the next task falls due; null: none is scheduled */
    next_due: number | null;
    /** the search was cut short: claim again at once */
    more: boolean;
}

export interface WorkTurned {
    finished: WorkFinished[];
    /** also lease_lost: it was started; finish it instead */
    handed_back: Fenced[];
    started: Fenced[];
    claimed: WorkClaimed;
}

export interface WorkProgress {
    worker: string;
    reports: WorkReport[];
}

export interface WorkLogChunk {
    task: string;
    lease: number;
    /** of the lease, from 0 */
    sequence: number;
    /** stdout, stderr or log */
    stream: string;
    text: string;
    /** since the worker read it */
    age: number;
}

export interface WorkLogs {
    worker: string;
    chunks: WorkLogChunk[];
}

export interface WorkState {
    worker: string;
    running: number;
    claimed: number;
    capacity: number;
    cpu_percent: number;
    memory_mb: number;
    machine_load: number;
}

export interface WorkLeave {
    worker: string;
}

export interface WorkFenced {
    /** one for each item of the request, in its order */
    items: Fenced[];
}

export interface WorkDone {
    /** false: there was nothing to do */
    done: boolean;
}

export interface TaskSubmission {
    /** of a task of the catalog, or of a function; not needed with a script */
    name?: string | null;
    /** any JSON value */
    args?: Json;
    /** to run, once; needs the scope operate */
    script?: string | null;
    /** what to execute, whole, as a task's `spec` shows it; needs the scope operate */
    spec?: Json;
    /** not before */
    run_at?: Time | null;
    /** not before this long from now */
    delay?: string | null;
    /** EXPIRED when not started by then */
    deadline?: string | null;
    /** of your own: submitting it again is harmless */
    id?: string | null;
    /** that only this task has: works as an id does */
    idempotency_key?: string | null;
    /** W3C trace context */
    traceparent?: string | null;
    /** The queue that the task goes to. Default: default. */
    queue?: string | null;
    /** Lower goes first. From 1 to 100. Default: 50. */
    priority?: number | null;
    /** Tags that its worker must carry, beside those that its kind needs. */
    tags?: string[] | null;
    /** The longest that one attempt may run; else the worker's `task_timeout`. From 1ms to 7d. */
    timeout?: string | null;
    retry?: { max_attempts?: number | null; delays?: string[] | null; base?: string | null; factor?: number | null; cap?: string | null; jitter?: number | null; retry_on?: string[] | null; } | null;
    on_crash?: 'fail' | 'requeue' | null;
    /** How often `requeue` may run the task again. From 0 to 1000. Default: 3. */
    max_crashes?: number | null;
    fence?: 'auto' | 'stop' | 'continue' | null;
    unmatched?: 'wait' | 'fail' | null;
    concurrency?: { key?: string | null; limit?: number | null; } | null;
}

export interface TaskBatch {
    tasks: TaskSubmission[];
}

export type TaskSubmissions = TaskSubmission | TaskBatch;

export interface TaskBatchFrame {
    tasks: Json[];
}

export interface Submitted {
    id: string;
    status: 'accepted' | 'existing';
}

export interface SubmittedTask {
    id: string;
    status: 'accepted' | 'existing';
    /** the limit in force for its concurrency key; null: it has none */
    concurrency_limit: number | null;
}

export interface SubmittedBatch {
    items: ({ id: string | null; status: 'accepted' | 'existing' | 'payload_mismatch' | 'too_old' | 'refused'; detail: string | null; concurrency_limit: number | null; })[];
}

export type SubmitAnswer = SubmittedTask | SubmittedBatch;

export interface TaskEnding {
    id: string;
    timed_out: boolean;
    task: Task | null;
}

export interface Reason {
    /** the reason, recorded in its history */
    reason?: string | null;
}

export interface Steered {
    id: string;
    status: string;
}

export interface Retried {
    id: string;
    retry_of: string;
}

export interface Force {
    state: 'FAILED' | 'CANCELLED';
    reason: string;
}

export interface LogPage {
    items: LogLine[];
    /** an offset to go on from */
    next: number;
    /** nothing more will come */
    ended: boolean;
}

export interface StepLogPage {
    items: (StepLogLine | WholeEvent)[];
    /** an offset to go on from */
    next: number;
    /** nothing more will come */
    ended: boolean;
}

export interface JobSubmission {
    /** its name in the catalog or, with yaml, in that text */
    workflow?: string | null;
    /** a definition of one's own; needs the scope operate */
    yaml?: string | null;
    /** the same as a bundle, as a job's definition shows it */
    definition?: Json;
    /** an object */
    input?: Json;
    /** of your own: starting it again is harmless */
    id?: string | null;
}

export interface JobEnding {
    id: string;
    timed_out: boolean;
    job: Job | null;
}

export type Definition = Json;

export interface StepStory {
    step: Step;
    items: Step[];
}

export interface JobRetry {
    /** of your own: retrying it again is harmless */
    id?: string | null;
}

export interface Decision {
    approve: boolean;
    reason?: string | null;
}

export interface Decided {
    id: string;
    step: string;
    status: 'approved' | 'rejected';
}

export interface Yaml {
    yaml: string;
}

export interface Validation {
    valid: boolean;
    errors: ConfigError[];
}

export interface QueueSteered {
    queue: string;
    paused: boolean;
}

export interface KeyForm {
    /** how many of its tasks run at once */
    limit: number;
    /** the queue that it belongs to; this or shared */
    queue?: string | null;
    /** true: the tasks of all queues share it */
    shared?: boolean | null;
}

export interface KeyDeclared {
    key: string;
    queue: string | null;
    limit: number;
    status: 'new' | 'changed' | 'unchanged';
}

export interface KeyRemoved {
    key: string;
    queue: string | null;
    status: 'removed';
}

export interface ScheduleSteered {
    schedule: string;
    status: 'paused' | 'resumed' | 'removed';
}

export interface ScheduleForm {
    schedules: { name: string; timing: Json; definition: Json; input?: Json; }[];
    dry_run?: boolean | null;
}

export interface ScheduleChange {
    schedule: string;
    status: 'new' | 'changed' | 'unchanged' | 'not_configured';
}

export interface ScheduleChanges {
    items: ScheduleChange[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface ScheduleRun {
    id: string;
    schedule: string;
}

export interface Threshold {
    /** quiet for longer than this */
    threshold?: string | null;
}

export interface Swept {
    services: ServicePass[];
}

export interface Prune {
    /** only count */
    dry_run?: boolean | null;
    /** remove even while the store's clock is in doubt: you have looked at it */
    clock_is_right?: boolean | null;
}

export interface Session {
    name: string;
    scope: Scope;
    queues: string[];
    login: 'none' | 'token';
    /** of the page's login */
    session: string | null;
    version: string;
    /** as in the overview */
    store: string | null;
}

export interface Login {
    token: string;
}

export interface LoggedOut {
    status: 'logged out';
}

export interface TokenForm {
    name: string;
    scope: Scope;
    queues?: string[] | null;
    expires_in?: string | null;
}

export interface SessionEnded {
    id: string;
    status: 'ended';
}

export interface TokenRevoked {
    name: string;
    status: 'revoked';
}

export interface Health {
    status: 'ok';
}

export interface Ready {
    status: 'ready' | 'not ready';
    /** why it is not ready */
    reason?: string;
    /** only with a token */
    checks?: { name: string; ok: boolean; detail: string; }[];
}

export type OpenApi = Json;

export interface Problem {
    type: string;
    title: string;
    status: number;
    detail: string;
    code: string;
    errors?: { where: string; detail: string; }[];
}

export interface TaskList {
    items: Task[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface JobList {
    items: Job[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface CatalogTaskList {
    items: CatalogTask[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface CatalogWorkflowList {
    items: CatalogWorkflow[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface WorkerList {
    items: Worker[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface WorkerStateList {
    items: WorkerState[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface QueueList {
    items: Queue[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface KeyList {
    items: Key[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface ScheduleList {
    items: Schedule[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface StaleTaskList {
    items: StaleTask[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface WholeEventList {
    items: WholeEvent[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface AuditLineList {
    items: AuditLine[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface ReplicaList {
    items: Replica[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface PageSessionList {
    items: PageSession[];
    /** where the next page begins; null: there is none */
    next: Json;
}

export interface TokenList {
    items: Token[];
    /** where the next page begins; null: there is none */
    next: Json;
}

/** Any value that JSON has. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** How a task is run; the members are those of docs/api.md. A policy is used by submits of this app only. */
export interface Policy {
  retries?: number;
  timeout?: string;
  queue?: string;
  priority?: number;
  on_crash?: "requeue" | "fail";
  [option: string]: unknown;
}
export interface TaskOptions extends Policy {
  /** A JSON schema of the arguments, for people and tools. */
  schema?: Json;
}

export type StopReason = "cancel" | "timeout" | "drain" | "fence" | "lease_lost";

/** The run that a function is part of. */
export interface Context {
  readonly id: string;
  readonly name: string;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly lastCheckpoint: Json | undefined;
  readonly traceparent: string | undefined;
  /** Aborted when the run should stop. A run that has taken it has seen the stop. */
  readonly signal: AbortSignal;
  readonly stopReason: StopReason | undefined;
  /** Whether the run should stop. A run that has seen this is settled by the stop, whatever it returns. */
  cancelled(): boolean;
  /** Shows how far the run is, from 0 to 1. */
  progress(fraction: number, text?: string): void;
  /** Keeps a state, which a later run of the task finds in lastCheckpoint. */
  checkpoint(state: unknown): void;
  /** Adds a line to the task's log. */
  log(text: string): void;
  /** For `return context.completeAnyway(value)`: the value counts, although the run has seen its stop. */
  completeAnyway<Value>(value: Value): Value;
}

/** Thrown by a run after it has seen its stop: it has stopped cleanly. After a drain it runs again at once. */
export class Stopped extends Error {}

/** Fails a task with a code of its own, which `retry_on` can name, and with data. */
export class TaskError extends Error {
  constructor(code: string, message?: string, data?: unknown);
  readonly code: string;
  readonly data: unknown;
}

export class Task<Args, Result> {
  readonly name: string;
  readonly policy: Record<string, unknown>;
  readonly function: (args: Args, context: Context) => Result | Promise<Result>;
  /** Submits the task with its policy and returns its id. */
  submit(client: Client, args: Args, options?: Record<string, unknown>): Promise<string>;
}

/** The tasks of a program. `concurrency`: how many runs one process may have at once; they share its crash. */
export class App {
  constructor(options?: { name?: string; concurrency?: number });
  readonly name: string;
  readonly concurrency: number;
  readonly tasks: Map<string, Task<any, any>>;
  task<Args, Result>(
    name: string,
    run: (args: Args, context: Context) => Result | Promise<Result>,
  ): Task<Args, Result>;
  task<Args, Result>(
    name: string,
    options: TaskOptions,
    run: (args: Args, context: Context) => Result | Promise<Result>,
  ): Task<Args, Result>;
}

/** The server has refused a request, or cannot be reached (status 0). */
export class HoldfastError extends Error {
  readonly status: number;
  readonly code: string;
}

/** A task or job that has ended. `record` is the object that `--json` prints. */
export interface Ended {
  id: string;
  state: "COMPLETED" | "FAILED" | "CANCELLED" | "EXPIRED";
  result: any;
  error: { code: string; message: string; data?: any } | null;
  record: Record<string, any>;
}
export class TaskFailed extends Error {
  readonly ended: Ended;
}

export interface WaitOptions {
  /** Milliseconds; without it, the wait has no end. */
  timeout?: number;
  signal?: AbortSignal;
}

/** Submits and controls tasks, jobs and schedules. A request whose answer is lost is repeated: each is safe to repeat. */
export class Client {
  constructor(url?: string, options?: { token?: string; patience?: number });
  submit(name: string, args?: unknown, options?: Record<string, unknown>): Promise<string>;
  submitMany(tasks: Iterable<{ name: string; args?: unknown; [option: string]: unknown }>): Promise<string[]>;
  get(id: string): Promise<Record<string, any>>;
  wait(id: string, options?: WaitOptions): Promise<Ended>;
  result(id: string, options?: WaitOptions): Promise<any>;
  cancel(id: string, reason?: string): Promise<string>;
  logs(id: string): Promise<Record<string, any>[]>;
  runWorkflow(workflow: string, input?: unknown, options?: { id?: string }): Promise<string>;
  getJob(id: string): Promise<Record<string, any>>;
  waitJob(id: string, options?: WaitOptions): Promise<Ended>;
  cancelJob(id: string, reason?: string): Promise<string>;
  schedules(): Promise<Record<string, any>[]>;
  pauseSchedule(name: string, reason?: string): Promise<void>;
  resumeSchedule(name: string, reason?: string): Promise<void>;
  runSchedule(name: string): Promise<string>;
}

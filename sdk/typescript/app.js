/** Functions as tasks. */

export class Stopped extends Error {
  name = "Stopped";
}

export class TaskError extends Error {
  name = "TaskError";
  constructor(code, message = "", data = null) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Task {
  constructor(name, { schema, retries = 0, retry, ...policy }, run) {
    this.name = name;
    this.schema = schema;
    this.function = run;
    this.policy = retries || retry ? { ...policy, retry: { max_attempts: retries + 1, ...retry } } : policy;
  }

  submit(client, args, options = {}) {
    return client.submit(this.name, args, { ...this.policy, ...options });
  }
}

export class App {
  constructor({ name = "", concurrency = 1 } = {}) {
    this.name = name;
    this.concurrency = concurrency;
    this.tasks = new Map();
  }

  task(name, options, run) {
    if (run === undefined) [options, run] = [{}, options];
    const fullName = this.name ? `${this.name}.${name}` : name;
    if (this.tasks.has(fullName)) throw new Error(`the task '${fullName}' exists twice; give one of them another name`);
    const task = new Task(fullName, options, run);
    this.tasks.set(fullName, task);
    return task;
  }
}

/** The run that a function is part of. `tell(type, members)` sends a message to the worker. */
export class Context {
  #tell;
  #abort = new AbortController();
  #tookSignal = false;
  #looked = false;
  #insists = false;

  constructor(order, tell) {
    this.run = order.run;
    this.id = order.task;
    this.name = order.name;
    this.attempt = order.attempt;
    this.timeout = order.timeout_ms;
    this.lastCheckpoint = order.checkpoint;
    this.traceparent = order.traceparent;
    this.stopReason = undefined;
    this.#tell = tell;
  }

  get signal() {
    this.#tookSignal = true;
    return this.#abort.signal;
  }

  cancelled() {
    this.#looked ||= this.stopReason !== undefined;
    return this.stopReason !== undefined;
  }

  progress(fraction, text = "") {
    if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`progress must be 0 to 1, not ${fraction}`);
    this.#tell("progress", { run: this.run, fraction, text: String(text).slice(0, 1000) });
  }

  checkpoint(state) {
    this.#tell("checkpoint", { run: this.run, state: state ?? null });
  }

  log(text) {
    this.#tell("log", { run: this.run, text: String(text) });
  }

  completeAnyway(value) {
    this.#insists = true;
    return value;
  }

  /** For the runner. */
  stop(reason) {
    this.stopReason ??= reason;
    this.#abort.abort(new Stopped(`asked to stop: ${reason}`));
  }

  sawStop(completed) {
    const saw = this.#looked || (this.#tookSignal && this.stopReason !== undefined);
    return saw && !(completed && this.#insists);
  }
}

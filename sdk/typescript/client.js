/** A client of a Holdfast server, over its HTTP API. */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

export class HoldfastError extends Error {
  name = "HoldfastError";
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export class TaskFailed extends Error {
  name = "TaskFailed";
  constructor(ended) {
    super(`${ended.id} is ${ended.state}: ${ended.error?.code ?? ""} ${ended.error?.message ?? ""}`.trim());
    this.ended = ended;
  }
}

/** A UUIDv7. A submit with an id can be repeated: it is accepted once. */
function newId() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export class Client {
  #url;
  #headers;
  #patience;

  constructor(url = "http://127.0.0.1:7070", { token, patience = 10_000 } = {}) {
    this.#url = new URL(url);
    this.#headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    this.#patience = patience;
  }

  // ---- Tasks

  async submit(name, args = null, options = {}) {
    return (await this.#call("POST", "/api/tasks", { name, args, id: newId(), ...options })).id;
  }

  async submitMany(tasks) {
    const all = [...tasks].map((task) => ({ id: newId(), ...task }));
    const items = [];
    for (let start = 0; start < all.length; start += 1000)
      items.push(...(await this.#call("POST", "/api/tasks", { tasks: all.slice(start, start + 1000) })).items);
    const refused = items
      .map((item, index) => ({ ...item, index }))
      .filter(({ status }) => status !== "accepted" && status !== "existing")
      .map(({ index, status, detail }) => `tasks[${index}]: ${status}: ${detail}`);
    if (refused.length > 0) throw new HoldfastError(422, "REFUSED", refused.join("; "));
    return items.map(({ id }) => id);
  }

  async get(id) {
    return (await this.#call("GET", `/api/tasks/${encodeURIComponent(id)}`)).task;
  }

  wait(id, options) {
    return this.#wait("tasks", "task", id, options);
  }

  async result(id, options) {
    const ended = await this.wait(id, options);
    if (ended.state !== "COMPLETED") throw new TaskFailed(ended);
    return ended.result;
  }

  async cancel(id, reason = "") {
    return (await this.#call("POST", `/api/tasks/${encodeURIComponent(id)}/cancel`, { reason })).status;
  }

  async logs(id) {
    return (await this.#call("GET", `/api/tasks/${encodeURIComponent(id)}/logs?limit=1000`)).items;
  }

  // ---- Jobs and schedules

  async runWorkflow(workflow, input = {}, { id = newId() } = {}) {
    return (await this.#call("POST", "/api/jobs", { workflow, input, id })).id;
  }

  getJob(id) {
    return this.#call("GET", `/api/jobs/${encodeURIComponent(id)}`);
  }

  waitJob(id, options) {
    return this.#wait("jobs", "job", id, options);
  }

  async cancelJob(id, reason = "") {
    return (await this.#call("POST", `/api/jobs/${encodeURIComponent(id)}/cancel`, { reason })).status;
  }

  async schedules() {
    return (await this.#call("GET", "/api/schedules")).items;
  }

  async pauseSchedule(name, reason = "") {
    await this.#call("POST", `/api/schedules/${encodeURIComponent(name)}/pause`, { reason });
  }

  async resumeSchedule(name, reason = "") {
    await this.#call("POST", `/api/schedules/${encodeURIComponent(name)}/resume`, { reason });
  }

  async runSchedule(name) {
    return (await this.#call("POST", `/api/schedules/${encodeURIComponent(name)}/run`, {})).id;
  }

  // ---- Requests

  async #wait(kind, member, id, { timeout = Infinity, signal } = {}) {
    const deadline = Date.now() + timeout;
    for (;;) {
      const span = Math.max(1, Math.round(Math.min(50_000, deadline - Date.now())));
      const path = `/api/${kind}/${encodeURIComponent(id)}/wait?timeout=${span}ms`;
      const answer = await this.#call("GET", path, undefined, signal);
      const record = answer[member];
      if (!answer.timed_out)
        return { id: record.id, state: record.state, result: record.result, error: record.error, record };
      if (Date.now() >= deadline) throw new HoldfastError(0, "TIMED_OUT", `${id} is ${record.state} after ${timeout} ms`);
    }
  }

  async #call(method, path, body, signal) {
    const deadline = Date.now() + this.#patience;
    for (let wait = 50; ; wait = Math.min(wait * 2, 2000)) {
      let failure;
      try {
        const answer = await fetch(new URL(path, this.#url), {
          method, headers: this.#headers, body: body === undefined ? undefined : JSON.stringify(body), signal,
        });
        const text = await answer.text();
        if (answer.ok) return JSON.parse(text);
        failure = refusal(answer.status, text);
        if (answer.status !== 429 && answer.status !== 503) throw failure;
        wait = Math.max(wait, 1000 * (Number(answer.headers.get("retry-after")) || 0));
      } catch (fault) {
        if (fault === failure || signal?.aborted) throw fault;
        const why = fault.cause?.message ?? fault.message;
        failure = new HoldfastError(0, "UNREACHABLE", `the server ${this.#url.host} cannot be reached: ${why}`);
      }
      if (Date.now() + wait > deadline) throw failure;
      await pause(wait, undefined, { signal });
    }
  }
}

function refusal(status, text) {
  try {
    const { code, detail, title } = JSON.parse(text);
    if (code) return new HoldfastError(status, code, detail ?? title ?? "");
  } catch {
    // handled below
  }
  return new HoldfastError(status, "NOT_A_HOLDFAST", `status ${status}, and not an answer of a Holdfast server`);
}

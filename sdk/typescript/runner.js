#!/usr/bin/env node
/** node runner.js FILE:APP: runs the tasks of an App for a worker, which speaks docs/runner-protocol.md. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Context, TaskError } from "./app.js";

const CHECK_INTERVAL = 1000;
const MOST_FILES = 2000;
const USAGE = "usage: holdfast-runner FILE:APP, as the command of `holdfast worker --runner`";

function fail(text) {
  console.error(text);
  process.exit(2);
}

/** The source files below the folder of the app, and whether they have changed. */
class Code {
  #newStamps = "";

  constructor(folder) {
    this.files = [];
    this.#collect(folder);
    this.files.sort();
    this.stamps = this.#look();
    this.hash = this.#read();
  }

  #collect(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (this.files.length >= MOST_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) this.#collect(path);
      if (entry.isFile() && [".js", ".mjs", ".cjs", ".ts", ".mts"].includes(extname(entry.name))) this.files.push(path);
    }
  }

  #look() {
    return this.files
      .map((path) => {
        const found = statSync(path, { throwIfNoEntry: false });
        return `${found?.mtimeMs} ${found?.size}`;
      })
      .join();
  }

  #read() {
    const digest = createHash("sha256");
    for (const path of this.files) {
      try {
        digest.update(path).update("\0").update(readFileSync(path)).update("\0");
      } catch {
        continue; // it was removed
      }
    }
    return digest.digest("hex").slice(0, 16);
  }

  /** A change counts when it has stayed the same for two looks. */
  hasChanged() {
    const stamps = this.#look();
    if (stamps === this.stamps) return false;
    if (stamps !== this.#newStamps) {
      this.#newStamps = stamps;
      return false;
    }
    if (this.#read() !== this.hash) return true;
    this.stamps = stamps;
    return false;
  }
}

class Runner {
  #runs = new Map();
  #rest = [];
  #most = Number(process.env.HOLDFAST_MAX_PAYLOAD_BYTES ?? 1 << 20);

  constructor(app, code, descriptor) {
    this.app = app;
    this.code = code;
    this.socket = new Socket({ fd: descriptor, readable: true, writable: true, allowHalfOpen: true });
    this.socket.on("data", (bytes) => this.#receive(bytes));
    this.socket.on("end", () => this.socket.end(() => process.exit(0)));
    this.socket.on("error", () => process.exit(1));
    this.watch = setInterval(() => this.#lookAtCode(), CHECK_INTERVAL);
  }

  hello() {
    const tasks = [...this.app.tasks.values()].map(({ name, schema }) => ({ name, schema: schema ?? null }));
    this.#send({
      type: "hello", protocol: 1, sdk: "holdfast-typescript/0.1.0", tasks, concurrency: this.app.concurrency,
      code: this.code.hash,
    });
  }

  #lookAtCode() {
    if (!this.code.hasChanged()) return;
    clearInterval(this.watch);
    this.#send({ type: "bye", reason: "its code has changed" });
  }

  #send(message) {
    this.#write(JSON.stringify(message));
  }

  /** Lines of one turn of the event loop go out together. */
  #write(line) {
    if (this.socket.writableCorked === 0) {
      this.socket.cork();
      setImmediate(() => this.socket.uncork());
    }
    this.socket.write(line + "\n");
  }

  #receive(bytes) {
    let start = 0;
    for (let end; (end = bytes.indexOf(10, start)) >= 0; start = end + 1) {
      this.#rest.push(bytes.subarray(start, end));
      const line = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest);
      this.#rest = [];
      this.#handle(JSON.parse(line.toString()));
    }
    if (start < bytes.length) this.#rest.push(Buffer.from(bytes.subarray(start)));
  }

  #handle(message) {
    if (message.type === "run") void this.#execute(message);
    if (message.type === "stop") this.#runs.get(message.run)?.stop(message.reason);
  }

  #tell(type, members) {
    const line = JSON.stringify({ type, ...members });
    if (type === "checkpoint" && Buffer.byteLength(line) > this.#most)
      throw new RangeError(`the checkpoint has more than ${this.#most} bytes`);
    if (this.#runs.has(members.run)) this.#write(line);
  }

  async #execute(order) {
    const context = new Context(order, (type, members) => this.#tell(type, members));
    this.#runs.set(order.run, context);
    let line;
    try {
      const task = this.app.tasks.get(order.name);
      if (!task) throw new TaskError("TASK_EXCEPTION", `this program has no function for the task '${order.name}'`);
      line = this.#completed(context, await task.function(order.args, context));
    } catch (failure) {
      line = this.#failed(context, failure);
    }
    this.#runs.delete(order.run);
    this.#write(line);
  }

  #completed(context, value) {
    let text;
    try {
      text = JSON.stringify(value ?? null) ?? "null";
    } catch (defect) {
      return this.#error(context, "RESULT_NOT_STORABLE", `the result cannot be stored: ${defect.message}`, null);
    }
    const size = Buffer.byteLength(text);
    if (size > this.#most)
      return this.#error(context, "RESULT_TOO_LARGE", `the result has ${size} bytes; allowed are ${this.#most}`, null);
    const saw = context.sawStop(true) ? ',"saw_stop":true' : "";
    return `{"type":"result","run":"${context.run}"${saw},"value":${text}}`;
  }

  #failed(context, failure) {
    if (failure?.name === "TaskError") return this.#error(context, failure.code, failure.message, failure.data);
    const isError = failure instanceof Error;
    const type = isError ? failure.name : typeof failure;
    const data = { type, traceback: isError ? String(failure.stack).slice(0, 16_000) : null };
    const message = `${type}: ${isError ? failure.message : String(failure)}`;
    const stopped = failure?.name === "Stopped" && context.stopReason !== undefined;
    return this.#error(context, "TASK_EXCEPTION", message, data, stopped);
  }

  #error(context, code, message, data, stopped = false) {
    const end = {
      type: "error", run: context.run, code, message: message.slice(0, 16_000), data, saw_stop: context.sawStop(false),
      stopped,
    };
    try {
      return JSON.stringify(end);
    } catch {
      return JSON.stringify({ ...end, data: String(data) });
    }
  }
}

const [where = ""] = process.argv.slice(2);
const colon = where.lastIndexOf(":");
if (colon <= 0) fail(USAGE);
if (process.env.HOLDFAST_RUNNER_FD === undefined)
  fail(`HOLDFAST_RUNNER_FD is not set: only a worker can start this program; ${USAGE}`);
const descriptor = Number(process.env.HOLDFAST_RUNNER_FD);
delete process.env.HOLDFAST_RUNNER_FD;
const file = resolve(where.slice(0, colon));
const code = new Code(dirname(file));
const app = (await import(pathToFileURL(file).href))[where.slice(colon + 1)];
if (!(app?.tasks instanceof Map)) fail(`${where} is not an App of holdfast`);
new Runner(app, code, descriptor).hello();

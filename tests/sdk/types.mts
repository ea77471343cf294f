// Compiled, not run: what the types of the TypeScript SDK accept and refuse.
import { App, Client, Stopped, TaskError, type Context, type Ended } from "../../sdk/typescript/index.js";

const app = new App({ name: "shop", concurrency: 5 });

export const add = app.task("add", { retries: 3, timeout: "5m" }, (args: { values: number[] }, context: Context) => {
  if (context.cancelled() || context.signal.aborted) throw new Stopped();
  context.progress(0.5);
  context.checkpoint({ page: 1 });
  if (args.values.length === 0) throw new TaskError("EMPTY", "nothing to add", { at: 1 });
  return context.completeAnyway(args.values.length);
});

const client = new Client("http://127.0.0.1:7070", { token: "t" });
export const id: string = await add.submit(client, { values: [1] });
export const ended: Ended = await client.wait(id, { timeout: 5, signal: new AbortController().signal });

// @ts-expect-error the arguments are of another type
await add.submit(client, { value: 1 });
// @ts-expect-error a context has no such member
app.task("wrong", (_args: null, context: Context) => context.abort());

// The tasks of `holdfast bench` in JavaScript: runner.js noops.mjs:one, or noops.mjs:many for 50 runs in a process.
import { App } from "../../../sdk/typescript/index.js";

const make = (concurrency) => {
  const app = new App({ name: "holdfast", concurrency });
  app.task("noop", async () => null);
  app.task("stamp", async () => Date.now() * 1000);
  return app;
};

export const one = make(1);
export const many = make(50);

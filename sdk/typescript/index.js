export { App, Stopped, Task, TaskError } from "./app.js";
export { Client, HoldfastError, TaskFailed } from "./client.js";

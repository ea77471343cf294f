import { App } from "holdfast";

export const app = new App({ name: "report" });

app.task("write", { timeout: "1m" }, ({ day, totals }, context) => {
  const lines = Object.entries(totals).map(([item, cents]) => `${item} ${(cents / 100).toFixed(2)}`);
  context.log(`${lines.length} items`);
  return `${day}: ${lines.join(", ")}`;
});

import { serveWorker } from "../serve.ts";

await serveWorker(import.meta.dirname, {
  name: "engine",
  workflows: { RUNS: { name: "bare-runs", className: "BareRun" } },
});

import { writeFile } from "node:fs/promises";

import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";

// Writes Miniflare's options for a Worker, from its configuration, to a file.
const [, , file = "", destination = ""] = process.argv;
const config = unstable_readConfig({ config: file });
const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
// A Worker beside it serves the assets (serve.ts).
const { zone: _zone, modulesRules: _rules, assets: _assets, ...rest } = workerOptions;
await writeFile(destination, JSON.stringify({ ...rest, bindings: config.vars }));

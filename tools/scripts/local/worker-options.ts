import { writeFile } from "node:fs/promises";

import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";

// Writes what Miniflare is to know of a Worker, by its configuration, to a file.
const [, , file = "", destination = ""] = process.argv;
const config = unstable_readConfig({ config: file });
const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
// Assets are served by a Worker beside it (serve.ts).
const { zone: _zone, modulesRules: _rules, assets: _assets, ...rest } = workerOptions;
await writeFile(destination, JSON.stringify({ ...rest, bindings: config.vars }));

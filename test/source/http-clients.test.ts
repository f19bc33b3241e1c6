// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { modulesOf } from "#sandbox/worker-loader.ts";

import { resolverDeps } from "../bundler/evaluate.ts";
import { signUp } from "../support/client.ts";
import { eventsOf, sendJson } from "../support/deploy.ts";

const FILES = import.meta.glob("../fixtures/http-clients/*.js", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** HTTP clients with their imports. */
const CLIENTS: [specifier: string, imported: string, shape: string][] = [
  ["node:http", "library", "nodeHttp"],
  ["node-fetch@2.7.0", "library", "nodeFetch"],
  ["node-fetch@3.3.2", "library", "nodeFetch"],
  ["axios@1.21.1", "library", "axios"],
  ["got@14.6.6", "library", "got"],
  ["gaxios@7.3.1", "* as library", "gaxios"],
  ["superagent@10.4.2", "library", "superagent"],
];

test.for(CLIENTS)(
  "%s sends and receives the same as in Node",
  async ([specifier, imported, shape]) => {
    const files = filesOf(specifier, imported, shape);
    const ada = await signUp();
    const saved = await ada.post("/components", { component_files: files, entry: "main.js" });
    const component_id = saved.body.data.id;
    const { data } = (await ada.post("/sources", { component_id })).body;
    const body = { server: inject("httpServer") };
    await sendJson(data.configured_props.http.endpoint_url, body);
    const inNode = await emittedInNode(files, body);
    const stub = env.SOURCES.getByName(data.id);
    await expect.poll(() => eventsOf(stub)).toHaveLength(1);
    expect(await eventsOf(stub)).toMatchObject([{ event: inNode }]);
  },
);

function filesOf(specifier: string, imported: string, shape: string): Record<string, string> {
  const files = Object.entries(FILES).map(([path, text]) => [path.split("/").at(-1), text]);
  const main = `
    import ${imported} from ${JSON.stringify(specifier)};
    import { ${shape} } from "./clients.js";
    import { sendAll } from "./table.js";
    export default {
      name: "Client", version: "0.0.1", props: { http: "$.interface.http" },
      async run({ body }) { this.$emit(await sendAll(${shape}(library), body.server)); },
    };`;
  return { ...Object.fromEntries(files), "main.js": main };
}

/** The events of the same modules in Node. */
async function emittedInNode(files: Record<string, string>, body: object): Promise<unknown> {
  const made = await bundle({ entry: "main.js", files }, resolverDeps);
  if (!made.ok) throw new Error(made.issues.map(({ text }) => text).join("\n"));
  const modules = modulesOf(made.bundle);
  const answer = await fetch(inject("nodeRunner"), {
    method: "POST",
    body: JSON.stringify({ modules, body }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return await answer.json();
}

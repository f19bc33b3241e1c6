import type { Handler } from "hono";

import component from "../../../docs/schemas/component.json" with { type: "json" };
import workflow from "../../../docs/schemas/workflow.json" with { type: "json" };
import type { AppEnv } from "./env.ts";

/** Editors and validators may cache a schema for an hour; a release may change it. */
const CACHING = "public, max-age=3600";

/** Serves the JSON Schema of workflow files. */
export const workflowSchema = serve(workflow);

/** Serves the JSON Schema of components' definitions. */
export const componentSchema = serve(component);

function serve(schema: object): Handler<AppEnv> {
  const text = JSON.stringify(schema);
  return (c) =>
    c.body(text, 200, { "content-type": "application/schema+json", "cache-control": CACHING });
}

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import type { Api } from "../api.ts";
import { Failure, misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";
import type { Workflow } from "../wire.ts";

type Definition = { file: string; fields: { name: string } };

/** Deploy the workflows of a file or a folder. Existing ones of the same name are changed. */
export async function deployWorkflows(path: string, options: CommandOptions): Promise<void> {
  // All are read before any is deployed: an invalid file changes nothing.
  const definitions: Definition[] = [];
  for (const file of await filesAt(path)) definitions.push(await definitionIn(file));
  const api = await apiFor(options);
  const existing = new Map<string, string>();
  for await (const { id, name } of api.rows<Workflow>("/workflows")) existing.set(name, id);
  const deployed: Workflow[] = [];
  for (const definition of definitions) {
    const workflow = await deployOne(api, definition, existing.get(definition.fields.name));
    deployed.push(workflow);
    if (options.json) continue;
    line(`Deployed ${workflow.name}  ${workflow.id}  version ${workflow.version}`);
    const { endpoint_url } = workflow.trigger;
    if (endpoint_url !== undefined) line(`endpoint  ${endpoint_url}`);
  }
  if (options.json) json(deployed);
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw misuse(`There is no ${path}`, "name the file of a workflow, or a folder of such files");
  if (found.isFile()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(json|ya?ml)$/.test(name));
  if (names.length === 0) throw misuse(`There is no workflow in ${path}`);
  return names.toSorted((a, b) => a.localeCompare(b)).map((name) => join(path, name));
}

/** JSON is YAML, so one parser reads both. */
async function definitionIn(file: string): Promise<Definition> {
  const text = await readFile(file, "utf8");
  const fields = parsed(file, text);
  if (typeof fields !== "object" || fields === null || !("name" in fields))
    throw misuse(`${file} has no name`, "a workflow has name, trigger and steps");
  return { file, fields: { ...fields, name: String(fields.name) } };
}

function parsed(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw misuse(`${file} cannot be parsed: ${error instanceof Error ? error.message : ""}`);
  }
}

async function deployOne(
  api: Api,
  { file, fields: body }: Definition,
  id: string | undefined,
): Promise<Workflow> {
  try {
    if (id === undefined) return await api.data("POST", "/workflows", { body });
    return await api.data("PUT", `/workflows/${id}`, { body });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { next, details } = error;
    throw new Failure(`${file}: ${error.message}`, {
      details,
      ...(next !== undefined && { next }),
    });
  }
}

import "./help.ts";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { parse } from "yaml";

import { errorMessage } from "#domain/errors.ts";

import { call } from "./api.ts";
import { Refusal } from "./local/refusal.ts";

/** Deploys every workflow in a folder: creates new ones, and updates the owner's workflows of the same name. */

const { values } = parseArgs({
  options: { folder: { type: "string", default: "workflows" }, owner: { type: "string" } },
});
const { WELLSPRING_URL: origin = "http://127.0.0.1:8787", ADMIN_TOKEN: token } = process.env;

type Workflow = { id: string; name: string; deployment_id: string; trigger: object };
type Fields = { owner_id: string; name: string };

const operator = { url: `${origin.replace(/\/$/, "")}/admin`, apiKey: token ?? "" };

try {
  if (!token)
    throw new Refusal("ADMIN_TOKEN is required; a local one is in .wrangler/state/secrets.env");
  // All files are read before the first deploy: an invalid file changes nothing.
  const workflows: { file: string; fields: Fields }[] = [];
  for (const file of await workflowFiles(resolve(values.folder)))
    workflows.push({ file, fields: await fieldsIn(file) });
  for (const { file, fields } of workflows) {
    const { id, deployment_id: deployment, trigger } = await deploy(file, fields);
    console.log(`${file}: ${id} ${deployment} ${JSON.stringify(trigger)}`);
  }
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}

async function workflowFiles(folder: string): Promise<string[]> {
  const all = await readdir(folder).catch(() => []);
  const names = all.filter((name) => /\.(json|ya?ml)$/.test(name));
  if (names.length === 0) throw new Refusal(`There is no workflow in ${folder}`);
  return names.toSorted().map((name) => join(folder, name));
}

/** JSON is YAML, so one parser reads both. */
async function fieldsIn(file: string): Promise<Fields> {
  const fields = parsed(file, await readFile(file, "utf8"));
  const owner_id = fields?.owner_id ?? values.owner;
  if (!fields?.name) throw new Refusal(`${file}: name is required`);
  if (!owner_id) throw new Refusal(`${file}: owner_id is required, in the file or as --owner`);
  return { ...fields, name: fields.name, owner_id };
}

function parsed(file: string, text: string): Partial<Fields> | null {
  try {
    return parse(text);
  } catch (error) {
    throw new Refusal(`${file}: ${errorMessage(error)}`);
  }
}

async function deploy(file: string, fields: Fields): Promise<Workflow> {
  try {
    const existing = await named(fields);
    const path = existing ? `/workflows/${existing.id}` : "/workflows";
    return await call(operator, path, fields, existing ? "PUT" : "POST");
  } catch (error) {
    throw new Refusal(`${file}: ${errorMessage(error)}`);
  }
}

/** The owner's workflow of this name, on any page of the list. */
async function named({ owner_id, name }: Fields): Promise<Workflow | undefined> {
  let after = "";
  for (;;) {
    const query = `owner_id=${owner_id}&limit=100${after && `&after=${after}`}`;
    const response = await fetch(`${operator.url}/workflows?${query}`, {
      headers: { authorization: `Bearer ${operator.apiKey}` },
    });
    if (!response.ok) throw new Error(await response.text());
    const page: { page_info: { end_cursor: string | null }; data: Workflow[] } =
      await response.json();
    const found = page.data.find((workflow) => workflow.name === name);
    if (found || page.page_info.end_cursor === null || page.data.length < 100) return found;
    after = page.page_info.end_cursor;
  }
}

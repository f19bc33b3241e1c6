import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { parse } from "yaml";

import { call } from "./api.ts";

/** Deploys every workflow in a folder: new ones are created, those that the owner has under the same name are changed. */

const { values } = parseArgs({
  options: { folder: { type: "string", default: "workflows" }, owner: { type: "string" } },
});
const { WELLSPRING_URL: origin = "http://127.0.0.1:8787", ADMIN_TOKEN: token } = process.env;

type Workflow = { id: string; name: string; deployment_id: string; trigger: object };
type Fields = { owner_id: string; name: string };

if (!token)
  throw new Error("ADMIN_TOKEN is required; a local one is in .wrangler/state/secrets.env");
const operator = { url: `${origin.replace(/\/$/, "")}/admin`, apiKey: token };

for (const file of await workflowFiles(resolve(values.folder))) {
  const { id, deployment_id: deployment, trigger } = await deploy(await fieldsIn(file));
  console.log(`${file}: ${id} ${deployment} ${JSON.stringify(trigger)}`);
}

async function workflowFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.(json|ya?ml)$/.test(name));
  if (names.length === 0) throw new Error(`There is no workflow in ${folder}`);
  return names.toSorted().map((name) => join(folder, name));
}

/** JSON is YAML, so one parser reads both. */
async function fieldsIn(file: string): Promise<Fields> {
  const fields: Partial<Fields> | null = parse(await readFile(file, "utf8"));
  const owner_id = fields?.owner_id ?? values.owner;
  if (!fields?.name) throw new Error(`${file}: name is required`);
  if (!owner_id) throw new Error(`${file}: owner_id is required, in the file or as --owner`);
  return { ...fields, name: fields.name, owner_id };
}

async function deploy(fields: Fields): Promise<Workflow> {
  const existing = await named(fields);
  const path = existing ? `/workflows/${existing.id}` : "/workflows";
  return call(operator, path, fields, existing ? "PUT" : "POST");
}

/** The owner's workflow of this name, on whichever page of the list it is. */
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

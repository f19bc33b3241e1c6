import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The path of the runtime's D1 files in a state folder. */
const D1 = "v3/d1/miniflare-D1DatabaseObject";

/** The SQLite file of the platform's database in a state folder. Throws if there is none. */
export async function databaseIn(stateDir: string): Promise<string> {
  const folder = join(stateDir, D1);
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw new Error(`${folder} has ${names.length} databases, not one`);
  return join(folder, name);
}

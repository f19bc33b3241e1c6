import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";

/** A file that seems to be a component. */
export type Candidate = {
  /** From the root of the folder, with slashes. */
  path: string;
  app: string;
  kind: "source" | "action";
};

/** A folder of components: its root and its candidates. */
export type Folder = { root: string; candidates: Candidate[] };

const KINDS = { sources: "source", actions: "action" } as const;
const CODE = /^(?!.*\.d\.ts$).*\.(?:mjs|js|ts)$/;
const NOT_COMPONENTS = new Set(["common", "node_modules", "dist", "test", "tests"]);

/** Find every component under `components/<app>/{sources,actions}`, or under `<app>/{sources,actions}`. */
export async function openFolder(given: string): Promise<Folder> {
  const root = resolve(given);
  const inside = join(root, "components");
  const appsIn = (await isFolder(inside)) ? inside : root;
  const candidates: Candidate[] = [];
  for (const app of await foldersIn(appsIn))
    for (const folder of Object.keys(KINDS)) {
      const files = await filesUnder(join(appsIn, app, folder));
      for (const file of files)
        if (await isComponent(file))
          candidates.push({ path: slashed(relative(root, file)), app, kind: kindOf(folder) });
    }
  if (candidates.length === 0)
    throw new Error(`${given} contains no components/<app>/{sources,actions}/…`);
  return { root, candidates };
}

function kindOf(folder: string): Candidate["kind"] {
  return folder === "sources" ? "source" : "action";
}

/** A component has the name of its folder, or contains its key and version. */
async function isComponent(file: string): Promise<boolean> {
  const name = basename(file).replace(/\.[^.]+$/, "");
  if (NOT_COMPONENTS.has(name)) return false;
  if (name === basename(dirname(file))) return true;
  const text = await readFile(file, "utf8");
  return /^\s*key:\s*["'`]/m.test(text) && /^\s*version:\s*["'`]/m.test(text);
}

async function filesUnder(folder: string): Promise<string[]> {
  if (!(await isFolder(folder))) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !foldersOf(relative(folder, file)).some((part) => NOT_COMPONENTS.has(part)))
    .toSorted();
}

function foldersOf(path: string): string[] {
  return slashed(dirname(path)).split("/");
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";

import { Refusal } from "../local/refusal.ts";

const FORMAT = 1;
const FILE = "manifest.json";

type Listed = { bytes: number; sha256: string };

/** The manifest of a backup. */
export type Manifest = {
  format: number;
  made_at: string;
  /** The release of the backed-up platform. */
  release: string;
  origin: string;
  /** The last migration in its database. */
  migration: string;
  /** Every file but this one, by its path. */
  files: Record<string, Listed>;
};

export type SealedManifest = { manifest: Manifest; digest: string; seal: string };

/** List the files of a folder together with `about`, sign the list with `seal`, and write it. */
export async function writeManifest(
  folder: string,
  about: Pick<Manifest, "release" | "origin" | "migration">,
  seal: (digest: string) => Promise<string>,
): Promise<Manifest> {
  const made_at = new Date().toISOString();
  const files: Manifest["files"] = {};
  for (const path of await filesIn(folder)) files[path] = await listed(join(folder, path));
  const manifest = { format: FORMAT, made_at, ...about, files };
  const sealed = { ...manifest, seal: await seal(digestOf(manifest)) };
  await writeFile(join(folder, FILE), `${JSON.stringify(sealed, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

/** Read the manifest of a backup, and check that every file exists and is unchanged. */
export async function readManifest(folder: string): Promise<SealedManifest> {
  const { seal, ...manifest } = parsed(
    await readFile(join(folder, FILE), "utf8").catch(() => {
      throw new Refusal(`${folder} is no whole backup: it has no ${FILE}.`);
    }),
  );
  if (manifest.format !== FORMAT)
    throw new Refusal(`The backup has format ${manifest.format}; this release reads ${FORMAT}.`);
  const found = new Set((await filesIn(folder)).filter((path) => path !== FILE));
  for (const [path, recorded] of Object.entries(manifest.files)) {
    if (!found.delete(path)) throw new Refusal(`The backup is incomplete: ${path} is missing.`);
    const { bytes, sha256 } = await listed(join(folder, path));
    if (bytes !== recorded.bytes || sha256 !== recorded.sha256)
      throw new Refusal(`The backup was changed: ${path} differs from its digest.`);
  }
  const [stranger] = found;
  if (stranger !== undefined) throw new Refusal(`The backup was changed: ${stranger} was added.`);
  return { manifest, digest: digestOf(manifest), seal };
}

function parsed(text: string): Manifest & { seal: string } {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(`The backup is incomplete: its ${FILE} is truncated.`);
  }
}

function digestOf(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted();
}

async function listed(file: string): Promise<Listed> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, sha256: hash.digest("hex") };
}

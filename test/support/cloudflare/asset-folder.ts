import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Asset } from "./upload.ts";

const folders = new Map<readonly Asset[], string>();

process.once("exit", () => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these assets, which a runtime serves. */
export function assetFolder(assets: readonly Asset[]): string {
  const known = folders.get(assets);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "assets-"));
  folders.set(assets, folder);
  for (const { path, contents } of assets) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  return folder;
}

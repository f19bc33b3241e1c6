import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The number of objects of a class, and the sizes of their smallest and largest database. */
export type ObjectSizes = { name: string; objects: number; fromKb: number; toKb: number };

/** The sizes of the objects' databases, by class; the runtime keeps each in a separate file. */
export async function objectSizes(stateDir: string): Promise<ObjectSizes[]> {
  const root = join(stateDir, "v3/do");
  const sizes: ObjectSizes[] = [];
  for (const name of (await readdir(root)).toSorted()) {
    const files = (await readdir(join(root, name))).filter((file) =>
      /^[0-9a-f]{64}\.sqlite$/.test(file),
    );
    const bytes = await Promise.all(
      files.map(async (file) => (await stat(join(root, name, file))).size),
    );
    const kb = bytes.map((size) => size / 1000);
    if (kb.length > 0)
      sizes.push({ name, objects: kb.length, fromKb: Math.min(...kb), toKb: Math.max(...kb) });
  }
  return sizes;
}

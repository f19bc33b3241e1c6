import type { ImportKind } from "./node-resolution.ts";
import { parseSpecifier, type PackageRequest } from "./specifiers.ts";
import type { Root } from "./tree.ts";

/** One import of the sent files that leads into a package. */
export type BareImport = { specifier: string; importer: string; kind: ImportKind };

/** An import with the folder that its package is to lie in: `request` says it as code inside that tree would. */
export type Want = BareImport & { request: string };

/**
 * Give each package that is asked for a folder. A name that is asked for in two ranges gets a second folder,
 * `name@range`: both are there, side by side. Undefined for what names no package.
 */
export function plan(imports: BareImport[]): { roots: Root[]; wants: Want[] } {
  const asked = imports.flatMap((bare) => {
    const request = parseSpecifier(bare.specifier);
    return request === undefined ? [] : [{ bare, request }];
  });
  const plain = plainRanges(asked.map(({ request }) => request));
  const roots = new Map<string, Root>();
  const wants = asked.map(({ bare, request }): Want => {
    const { name, range = "latest", subpath } = request;
    const folder = plain.get(name) === range ? name : `${name}@${range}`;
    const { specifier, importer } = bare;
    if (!roots.has(folder)) roots.set(folder, { folder, name, range, specifier, importer });
    return { ...bare, request: folder + subpath };
  });
  return { roots: [...roots.values()].toSorted(byFolder), wants };
}

/** The range of each name that lies under the name alone: the one without a range, else the first. */
function plainRanges(requests: PackageRequest[]): Map<string, string> {
  const ranges = new Map<string, string>();
  for (const { name, range = "latest" } of requests.toSorted(bySpelling)) {
    if (!ranges.has(name) || range === "latest") ranges.set(name, range);
  }
  return ranges;
}

function bySpelling(a: PackageRequest, b: PackageRequest): number {
  return (a.range ?? "") < (b.range ?? "") ? -1 : 1;
}

function byFolder(a: Root, b: Root): number {
  return a.folder < b.folder ? -1 : 1;
}

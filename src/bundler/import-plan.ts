import type { ImportKind } from "./node-resolution.ts";
import { parseSpecifier } from "./specifiers.ts";
import type { Root } from "./tree.ts";
import type { VersionRanges } from "./version-ranges.ts";

/** One import of the sent files that leads into a package. */
export type BareImport = { specifier: string; importer: string; kind: ImportKind };

/** No manifest lists the package. */
const UNLISTED: VersionRanges = () => undefined;

/** Identifies an import: the same specifier in two files may mean two versions. */
export function importKey({ specifier, importer, kind }: BareImport): string {
  return JSON.stringify([specifier, importer, kind]);
}

/** An import with the folder of its package: `request` names it as code inside that tree would. */
export type PlannedImport = BareImport & { request: string };

/**
 * Assign a folder to each imported package. A name that is imported in two ranges gets a second folder, `name@range`:
 * both are there, side by side. Undefined for a specifier without a package. The range is that of the specifier, else
 * that of the repository, else the latest version.
 */
export function plan(
  imports: BareImport[],
  listed: VersionRanges = UNLISTED,
): { roots: Root[]; plannedImports: PlannedImport[] } {
  const requests = imports.flatMap((bare) => {
    const request = requestOf(bare, listed);
    return request === undefined ? [] : [{ bare, request }];
  });
  const plain = plainRanges(requests.map(({ request }) => request));
  const roots = new Map<string, Root>();
  const plannedImports = requests.map(({ bare, request }): PlannedImport => {
    const { alias, name, range, subpath } = request;
    const folder = plain.get(alias) === range ? alias : `${alias}@${range}`;
    const { specifier, importer } = bare;
    if (!roots.has(folder)) roots.set(folder, { folder, name, range, specifier, importer });
    return { ...bare, request: folder + subpath };
  });
  return { roots: [...roots.values()].toSorted(byFolder), plannedImports };
}

/** `alias`: the name of the package in code. */
type Request = { alias: string; name: string; range: string; subpath: string };

function requestOf(
  { specifier, importer }: BareImport,
  listed: VersionRanges,
): Request | undefined {
  const parsed = parseSpecifier(specifier);
  if (parsed === undefined) return undefined;
  const { name: alias, range, subpath } = parsed;
  if (range !== undefined) return { alias, name: alias, range, subpath };
  const { name, range: listedRange } = listed(alias, importer) ?? { name: alias, range: "latest" };
  return { alias, name, range: listedRange, subpath };
}

/** The range of each name that lies under the name alone: the latest, else the first. */
function plainRanges(requests: Request[]): Map<string, string> {
  const ranges = new Map<string, string>();
  for (const { alias, range } of requests.toSorted(bySpelling)) {
    if (!ranges.has(alias) || range === "latest") ranges.set(alias, range);
  }
  return ranges;
}

function bySpelling(a: Request, b: Request): number {
  return a.range < b.range ? -1 : 1;
}

function byFolder(a: Root, b: Root): number {
  return a.folder < b.folder ? -1 : 1;
}

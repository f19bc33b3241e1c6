import semver from "semver";

import { MAX_CONNECTIONS, mapAtMost } from "#domain/concurrency.ts";

import { isNative, type Manifest } from "./manifest.ts";
import { Refusal } from "./refusal.ts";
import { parseDependency } from "./specifiers.ts";

const MAX_PACKAGES = 1000;

/** A folder with a package in it, or the root. */
export type Node = {
  /** `""` or `node_modules/a/node_modules/b`. */
  path: string;
  parent: Node | undefined;
  manifest: Manifest | undefined;
  children: Map<string, Node>;
  /** Names that folders below resolve through this one: another version here would shadow them. */
  passing: Map<string, Node>;
  /** The import in the sent files that requires it. */
  root: Root | undefined;
};

/** One dependency to be satisfied. `folder` is the name that code imports. */
type Edge = {
  from: Node;
  folder: string;
  name: string;
  range: string;
  kind: "required" | "optional" | "peer";
  root: Root;
};

/** The imports of the sent files: specifier and file. */
export type Root = {
  folder: string;
  name: string;
  range: string;
  specifier: string;
  importer: string;
};

/**
 * The manifest for a range of versions; undefined if there is none. Rejects with a `Refusal` if there is no such
 * package.
 */
type FindManifest = (name: string, range: string) => Promise<Manifest | undefined>;

/**
 * Lay out packages in nested folders as npm does: shared as high up as possible, other versions below. Throws a
 * `Refusal` for packages that do not exist or cannot run, and for too many.
 */
export async function layOut(roots: Root[], find: FindManifest): Promise<Node[]> {
  const root = folder("", undefined, undefined);
  const placed: Node[] = [];
  let edges: Edge[] = roots.map((request) => ({
    ...request,
    from: root,
    kind: "required",
    root: request,
  }));
  while (edges.length > 0) {
    const open = new Set(edges.filter((edge) => !isSatisfied(edge)).map(({ name }) => name));
    // Another version may be placed between an edge and the package that satisfies it now.
    const known = await manifestsOf(
      edges.filter(({ name }) => open.has(name)),
      find,
    );
    const level = edges.flatMap((edge) => settle(edge, known) ?? []);
    placed.push(...level);
    if (placed.length > MAX_PACKAGES) throw tooMany(placed[0]?.root);
    edges = level.flatMap((node) => edgesOf(node));
  }
  return placed;
}

/** By `requirementOf`. */
type Known = Map<string, Manifest | Refusal | undefined>;

async function manifestsOf(edges: Edge[], find: FindManifest): Promise<Known> {
  const byRequirement = new Map(edges.map((edge) => [requirementOf(edge), edge]));
  // For a package with thousands of dependencies, each would be a request.
  if (byRequirement.size > MAX_PACKAGES) throw tooMany(edges[0]?.root);
  const findOne = async ([requirement, { name, range }]: [string, Edge]): Promise<
    [string, Manifest | Refusal | undefined]
  > => {
    try {
      return [requirement, await find(name, range)];
    } catch (error) {
      if (error instanceof Refusal) return [requirement, error];
      throw error;
    }
  };
  // Ranges of one package in sequence: its metadata may not be held for long.
  const sorted = [...byRequirement].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map(await mapAtMost(MAX_CONNECTIONS, sorted, findOne));
}

function requirementOf({ name, range }: Pick<Edge, "name" | "range">): string {
  return `${name}@${range}`;
}

/** Find or place the package that satisfies an edge. Returns the new folder, if there is one. */
function settle(edge: Edge, known: Known): Node | undefined {
  const present = found(edge);
  if (present !== undefined && (edge.kind === "peer" || satisfies(present, edge))) {
    pass(edge, present);
    return undefined;
  }
  const manifest = manifestFor(edge, known);
  if (manifest === undefined) return undefined;
  const target = targetOf(edge);
  const node = folder(joined(target.path, edge.folder), target, manifest);
  node.root = edge.root;
  target.children.set(edge.folder, node);
  pass(edge, node);
  return node;
}

function manifestFor(edge: Edge, known: Known): Manifest | undefined {
  try {
    return runnable(edge, known.get(requirementOf(edge)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (edge.kind === "optional" && !error.upstream) return undefined;
    error.specifier ??= edge.root.specifier;
    throw error;
  }
}

function runnable(edge: Edge, manifest: Manifest | Refusal | undefined): Manifest {
  const { name, range } = edge;
  if (manifest instanceof Refusal) throw naming(manifest, edge);
  if (manifest === undefined)
    throw new Refusal(`There is no version "${range}" of the package "${name}"${wanted(edge)}`);
  if (isNative(manifest)) {
    throw new Refusal(
      `The package "${name}@${manifest.version}"${wanted(edge)}, cannot run here: it is a native add-on`,
    );
  }
  return manifest;
}

function naming(refusal: Refusal, edge: Edge): Refusal {
  const { upstream, message } = refusal;
  return new Refusal(`${message}${wanted(edge)}`, { upstream, cause: refusal });
}

function wanted({ from, root }: Edge): string {
  const { manifest } = from;
  const importer = manifest === undefined ? root.importer : `${manifest.name}@${manifest.version}`;
  return `, which "${importer}" imports`;
}

/** A peer is looked up beside the package that needs it, other dependencies inside. */
function scopeOf({ from, kind }: Edge): Node {
  return kind === "peer" ? (from.parent ?? from) : from;
}

function found(edge: Edge): Node | undefined {
  for (const level of levels(scopeOf(edge))) {
    const node = level.children.get(edge.folder);
    if (node !== undefined) return node;
  }
  return undefined;
}

function isSatisfied(edge: Edge): boolean {
  const node = found(edge);
  return node !== undefined && (edge.kind === "peer" || satisfies(node, edge));
}

function satisfies({ manifest }: Node, { name, range }: Edge): boolean {
  if (manifest?.name !== name) return false;
  return range === "*" || semver.satisfies(manifest.version, range, true);
}

/** The highest folder in which it hides no other version from any importer. */
function targetOf(edge: Edge): Node {
  let target = scopeOf(edge);
  for (const level of levels(target)) {
    if (level.children.has(edge.folder) || level.passing.has(edge.folder)) break;
    target = level;
  }
  return target;
}

/** Record the lookup at each folder between the importer and the package found. */
function pass(edge: Edge, node: Node): void {
  for (const level of levels(scopeOf(edge))) {
    if (level === node.parent) return;
    level.passing.set(edge.folder, node);
  }
}

function* levels(from: Node): Generator<Node> {
  for (let level: Node | undefined = from; level !== undefined; level = level.parent) yield level;
}

function edgesOf(from: Node): Edge[] {
  const { manifest, root } = from;
  if (manifest === undefined || root === undefined) return [];
  const optional = Object.entries(manifest.optionalDependencies ?? {});
  const required = Object.entries(manifest.dependencies ?? {}).filter(
    ([name]) => manifest.optionalDependencies?.[name] === undefined,
  );
  const peers = Object.entries(manifest.peerDependencies ?? {}).filter(
    ([name]) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
  );
  const of = (kind: Edge["kind"], entries: [string, string][]): Edge[] =>
    entries.flatMap(([name, value]) => edgeOf({ from, kind, root }, name, value) ?? []);
  return [...of("required", required), ...of("optional", optional), ...of("peer", peers)].toSorted(
    (a, b) => (a.folder < b.folder ? -1 : 1),
  );
}

function edgeOf(
  { from, kind, root }: Pick<Edge, "from" | "kind" | "root">,
  name: string,
  value: string,
): Edge | undefined {
  // Type packages have no code, and some of their manifests are among the largest.
  if (name.startsWith("@types/") || bundles(from, name)) return undefined;
  const dependency = parseDependency(name, value);
  if (dependency !== undefined) return { ...dependency, from, folder: name, kind, root };
  if (kind !== "required") return undefined;
  const refusal = new Refusal(
    `The package "${name}" comes from "${value}", not from the registry, ` +
      `which "${from.manifest?.name}@${from.manifest?.version}" imports`,
  );
  refusal.specifier = root.specifier;
  throw refusal;
}

function bundles({ manifest }: Node, name: string): boolean {
  const bundled = manifest?.bundleDependencies;
  return bundled === true || (Array.isArray(bundled) && bundled.includes(name));
}

function folder(path: string, parent: Node | undefined, manifest: Manifest | undefined): Node {
  return { path, parent, manifest, children: new Map(), passing: new Map(), root: undefined };
}

function joined(parent: string, name: string): string {
  return parent === "" ? `node_modules/${name}` : `${parent}/node_modules/${name}`;
}

function tooMany(root: Root | undefined): Refusal {
  const refusal = new Refusal(
    `The packages that are imported need more than ${MAX_PACKAGES} packages`,
  );
  refusal.specifier = root?.specifier;
  return refusal;
}

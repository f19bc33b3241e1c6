import { sha256Hex } from "#domain/hash.ts";
import { EMPTY_LOCKFILE, lockText, type Lockfile } from "#domain/lockfile.ts";

import { buildSet, keyOf, type DependencySet } from "./dependency-set.ts";
import { FairQueue } from "./fair-queue.ts";
import { plan, type BareImport, type PlannedImport } from "./import-plan.ts";
import { installed, type KnownManifests, type Source } from "./install.ts";
import type { Manifest } from "./manifest.ts";
import { Omissions } from "./omissions.ts";
import type { UsedParts } from "./partial-packages.ts";
import { Refusal, Uncompilable } from "./refusal.ts";
import { openRegistry, type RegistryAddress } from "./registry.ts";
import { SetMemory, unbundledMemory } from "./set-memory.ts";
import { refuseTooLarge } from "./set-size.ts";
import { parseSpecifier } from "./specifiers.ts";
import type { BundlerStore } from "./store.ts";
import { isIntegrity } from "./tarball.ts";
import { layOut, type Node, type Root } from "./tree.ts";
import { gatherSet } from "./unbundled/set.ts";
import type { VersionRanges } from "./version-ranges.ts";

/** Raise it to change the modules of the same packages. */
const FORMAT = "9";

/** Time for which the same imports resolve to the same versions without a new request. */
const RESOLUTION_MS = 5 * 60 * 1000;

/** Maximum size of all sets in memory: a deploy on one of them reads nothing. A character takes up to two bytes. */
const MAX_HELD_CHARACTERS = 4 * 2 ** 20;

/** Time for which a set is known to be in the store: the cron deletes unused ones. */
const HELD_MS = 60 * 60 * 1000;

/** The source of packages, the store of the compiled ones, and the client. */
export type ResolverDeps = { registry: RegistryAddress; store: BundlerStore; client: string };

/** The packages behind the imports of one component. */
export type Dependencies = DependencySet & {
  hash: string;
  lockfile: Lockfile;
  plannedImports: PlannedImport[];
};

/** Maximum total time for installing and building one set. */
const SET_LIMIT_MS = 120_000;

const sets = new FairQueue();
const held = new Map<string, { set: DependencySet; characters: number; seenMs: number }>();

/** `used`: of packages with many parts, those that the component uses. */
type Terms = { lock?: Lockfile | undefined; listed?: VersionRanges; used?: UsedParts };

/**
 * Find, or build once and store, the modules of some imports. A lockfile that covers them decides the versions, else
 * the repository's manifests.
 */
export async function dependenciesOf(
  imports: BareImport[],
  resolverDeps: ResolverDeps,
  { lock, listed, used: named = new Map() }: Terms = {},
): Promise<Dependencies> {
  const { roots, plannedImports } = plan(imports, listed);
  if (roots.length === 0) {
    return {
      hash: "",
      modules: {},
      entries: {},
      mayConnect: false,
      lockfile: EMPTY_LOCKFILE,
      plannedImports,
    };
  }
  const { lockfile, known } =
    lock !== undefined && covers(lock, roots)
      ? { lockfile: lock }
      : await locked(roots, resolverDeps);
  const keys = [...new Set(plannedImports.map((plannedImport) => keyOf(plannedImport)))].toSorted();
  // Keyed by versions, not by ranges: ranges that resolve to the same versions share a set.
  const contents = lockText({ ...lockfile, requests: {} });
  const used = usedIn(lockfile, roots, named);
  const hash = await sha256Hex([FORMAT, contents, ...keys, ...textOf(used)].join("\n"));
  const set =
    (await inMemory(hash, resolverDeps)) ??
    (await kept(hash, resolverDeps)) ??
    (await madeInTurn(hash, { plannedImports, lockfile, known, resolverDeps, used }));
  return { ...set, hash, lockfile, plannedImports };
}

/** Without packages that some import reaches by another name: nothing looked for their parts. */
function usedIn({ packages }: Lockfile, roots: Root[], named: UsedParts): UsedParts {
  const present = new Set(Object.values(packages).map(({ name }) => name));
  const used = [...named].filter(
    ([name]) => present.has(name) && roots.every((root) => root.name !== name || isPlain(root)),
  );
  return new Map(used);
}

function isPlain({ name, specifier }: Root): boolean {
  return parseSpecifier(specifier)?.name === name;
}

function textOf(used: UsedParts): string[] {
  return [...used].map(([name, parts]) => JSON.stringify([name, ...[...parts].toSorted()]));
}

function covers({ requests }: Lockfile, roots: Root[]): boolean {
  return roots.every((root) => Object.hasOwn(requests, requestOf(root)));
}

type Locked = { lockfile: Lockfile; known?: KnownManifests | undefined };

/** The versions that the registry returns for these imports now, or returned a moment ago. */
async function locked(roots: Root[], { registry, store, client }: ResolverDeps): Promise<Locked> {
  const requests = roots.map((root) => [root.folder, root.name, root.range]);
  // In the store, because Cloudflare's cache does nothing for a Worker without a zone.
  const key = `resolutions/${await sha256Hex(JSON.stringify([FORMAT, registry.url, requests]))}`;
  const stored = await store.get(key);
  if (stored !== null && Date.now() < stored.uploaded.getTime() + RESOLUTION_MS)
    return { lockfile: await stored.json<Lockfile>() };
  const nodes = await sets.run(client, SET_LIMIT_MS, () => {
    const opened = openRegistry(registry);
    return layOut(roots, (name, range) => opened.manifest(name, range));
  });
  const lockfile = lockfileOf(roots, nodes);
  await store.put(key, JSON.stringify(lockfile));
  const known = nodes.flatMap(({ manifest }) =>
    manifest ? [[`${manifest.name}@${manifest.version}`, manifest] as const] : [],
  );
  return { lockfile, known: new Map(known) };
}

function lockfileOf(roots: Root[], nodes: Node[]): Lockfile {
  const requests: Lockfile["requests"] = {};
  for (const root of roots) requests[requestOf(root)] = `node_modules/${root.folder}`;
  const packages: Lockfile["packages"] = {};
  for (const { path, manifest } of nodes) {
    if (manifest === undefined) continue;
    const { name, version } = manifest;
    packages[path] = { name, version, integrity: integrityOf(manifest) };
  }
  return { lockfileVersion: 1, requests, packages };
}

function requestOf({ name, range }: Root): string {
  return range === "latest" ? name : `${name}@${range}`;
}

/** The hashes that a tarball is checked by. Packages from before 2017 have only a SHA-1. */
function integrityOf({ name, version, dist: { integrity, shasum } }: Manifest): string {
  if (integrity !== undefined && isIntegrity(integrity)) return integrity;
  if (integrity === undefined && shasum !== undefined && /^[0-9a-f]{40}$/i.test(shasum))
    return `sha1-${Uint8Array.fromHex(shasum).toBase64()}`;
  throw new Refusal(
    `The registry gives no integrity by which "${name}@${version}" can be checked`,
    {
      upstream: true,
    },
  );
}

async function inMemory(hash: string, { store }: ResolverDeps): Promise<DependencySet | undefined> {
  const { set, seenMs } = held.get(hash) ?? {};
  if (set === undefined || seenMs === undefined) return undefined;
  const isSeen =
    Date.now() < seenMs + HELD_MS || (await store.head(`dependencies/${hash}`)) !== null;
  if (isSeen) hold(hash, set, Date.now() < seenMs + HELD_MS ? seenMs : Date.now());
  return isSeen ? set : undefined;
}

async function kept(hash: string, { store }: ResolverDeps): Promise<DependencySet | undefined> {
  const set = await (await store.get(`dependencies/${hash}`))?.json<DependencySet>();
  if (set) hold(hash, set, Date.now());
  return set;
}

/** One set at a time: an isolate has memory for the files of one. Another caller may have built it meanwhile. */
async function madeInTurn(hash: string, order: Order): Promise<DependencySet> {
  return await sets.run(order.resolverDeps.client, SET_LIMIT_MS, async () => {
    return (
      (await inMemory(hash, order.resolverDeps)) ??
      (await kept(hash, order.resolverDeps)) ??
      (await made(hash, order))
    );
  });
}

type Order = Locked & {
  plannedImports: PlannedImport[];
  resolverDeps: ResolverDeps;
  used: UsedParts;
};

async function made(hash: string, order: Order): Promise<DependencySet> {
  try {
    const set = await madeFrom(hash, order);
    await order.resolverDeps.store.put(`dependencies/${hash}`, JSON.stringify(set));
    hold(hash, set, Date.now());
    return set;
  } catch (error) {
    throw error instanceof Refusal ? placed(error, order.plannedImports) : error;
  }
}

/** Build from the parts that the component reaches; from whole packages if that turns out not to suffice. */
async function madeFrom(hash: string, order: Order): Promise<DependencySet> {
  const omissions = new Omissions(order.used, order.lockfile);
  const set =
    (await compiledWhole(order, omissions)) ?? (await gathered(hash, { ...order, omissions }));
  return omissions.areRight() ? set : await madeFrom(hash, { ...order, used: new Map() });
}

/** Undefined if the packages are too large for the compiler. */
async function compiledWhole(
  order: Order,
  omissions: Omissions,
): Promise<DependencySet | undefined> {
  const memory = new SetMemory();
  const tree = installed(order.lockfile, sourceOf(order, omissions), memory);
  try {
    await refuseTooLarge(order.plannedImports, tree, memory);
    return await buildSet(order.plannedImports, tree, order.resolverDeps.client);
  } catch (error) {
    if (error instanceof Uncompilable) return undefined;
    throw error;
  }
}

async function gathered(
  hash: string,
  { omissions, ...order }: Order & { omissions: Omissions },
): Promise<DependencySet> {
  const { store, client } = order.resolverDeps;
  const tree = installed(order.lockfile, sourceOf(order, omissions), unbundledMemory());
  const put = async (part: number, text: string): Promise<void> => {
    await store.put(`dependencies/${hash}.${part}`, text);
  };
  return await gatherSet(order.plannedImports, { tree, client, put });
}

function sourceOf(
  { known, resolverDeps: { registry, store } }: Order,
  omissions: Omissions,
): Source {
  return { registry: openRegistry(registry), store, omissions, ...(known && { known }) };
}

/** A fault below the imported packages is reported at the import of the package at fault, else at the first. */
function placed(refusal: Refusal, plannedImports: PlannedImport[]): Refusal {
  const { message, upstream, packageName } = refusal;
  const named =
    packageName && plannedImports.find((plannedImport) => packageOf(plannedImport) === packageName);
  const { specifier, importer } = named || (plannedImports[0] ?? {});
  const text = named ? "it is imported by" : `"${specifier}" needs it in`;
  const error = new Refusal(`${message} (${text} "${importer}")`, { upstream, cause: refusal });
  error.specifier = refusal.specifier ?? specifier;
  return error;
}

function packageOf({ request }: PlannedImport): string | undefined {
  return parseSpecifier(request)?.name;
}

function hold(hash: string, set: DependencySet, seenMs: number): void {
  const characters = Object.values(set.modules).reduce((sum, text) => sum + text.length, 0);
  held.delete(hash);
  held.set(hash, { set, characters, seenMs });
  let total = 0;
  for (const [other, { characters: size }] of [...held].toReversed()) {
    total += size;
    if (total > MAX_HELD_CHARACTERS) held.delete(other);
  }
}

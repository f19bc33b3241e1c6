import { sha256Hex } from "../domain/hash.ts";
import { EMPTY_LOCKFILE, lockText, type Lockfile } from "../domain/lockfile.ts";
import { buildSet, keyOf, type DependencySet } from "./dependency-set.ts";
import { installed } from "./install.ts";
import { Refusal } from "./refusal.ts";
import { openRegistry, type RegistryAddress } from "./registry.ts";
import { parseSpecifier } from "./specifiers.ts";
import { layOut, type Node, type Root } from "./tree.ts";
import { plan, type BareImport, type Want } from "./wants.ts";

/** Raise it when the same packages are to come out as other modules. */
const FORMAT = "5";

/** For how long the same imports mean the same versions without asking again. */
const RESOLUTION_SECONDS = 300;

/** Sets held in memory: a deploy on one of them reads nothing. */
const SETS_HELD = 4;

/** For how long one is known to be in the store: what nothing uses is swept out of it. */
const HELD_MS = 60 * 60 * 1000;

/** Where packages come from, and where what was made of them is kept. */
export type Supply = { registry: RegistryAddress; store: R2Bucket };

/** The registry and the store that this deployment is bound to. */
export function supplyOf(env: Env): Supply {
  const registry = { url: env.NPM_REGISTRY_URL, token: env.NPM_TOKEN };
  return { registry, store: env.CODE };
}

/** The packages behind the imports of one component. */
export type Dependencies = DependencySet & { hash: string; lockfile: Lockfile; wants: Want[] };

const held = new Map<string, { set: DependencySet; seenMs: number }>();

/** Find, or make once and keep, the modules that imports lead to. A lockfile that covers them decides the versions. */
export async function dependenciesOf(
  imports: BareImport[],
  supply: Supply,
  lock?: Lockfile,
): Promise<Dependencies> {
  const { roots, wants } = plan(imports);
  if (roots.length === 0) {
    return {
      hash: "",
      modules: {},
      entries: {},
      mayConnect: false,
      lockfile: EMPTY_LOCKFILE,
      wants,
    };
  }
  const lockfile = lock !== undefined && covers(lock, roots) ? lock : await locked(roots, supply);
  const keys = [...new Set(wants.map((want) => keyOf(want)))].toSorted();
  const hash = await sha256Hex([FORMAT, lockText(lockfile), ...keys].join("\n"));
  const set =
    (await inMemory(hash, supply)) ??
    (await kept(hash, supply)) ??
    (await made(hash, { wants, lockfile, supply }));
  return { ...set, hash, lockfile, wants };
}

function covers({ requests }: Lockfile, roots: Root[]): boolean {
  return roots.every((root) => Object.hasOwn(requests, requestOf(root)));
}

/** The versions that the registry gives for these imports now, or gave a moment ago. */
async function locked(roots: Root[], { registry }: Supply): Promise<Lockfile> {
  const asked = roots.map((root) => [root.folder, root.name, root.range]);
  const key = `https://resolutions.invalid/${await sha256Hex(JSON.stringify([FORMAT, registry.url, asked]))}`;
  const known = await caches.default.match(key);
  if (known !== undefined) return await known.json<Lockfile>();
  const lockfile = lockfileOf(roots, await layOutFresh(roots, registry));
  const headers = { "cache-control": `max-age=${RESOLUTION_SECONDS}` };
  await caches.default.put(key, Response.json(lockfile, { headers }));
  return lockfile;
}

/** What is not found may have been published since the answers that are kept: then the registry is asked anew. */
async function layOutFresh(roots: Root[], address: RegistryAddress): Promise<Node[]> {
  const [believing, asking] = [openRegistry(address), openRegistry(address, true)];
  try {
    return await layOut(roots, (name) => believing.packument(name));
  } catch (error) {
    if (!(error instanceof Refusal) || error.upstream) throw error;
    return await layOut(roots, (name) => asking.packument(name));
  }
}

function lockfileOf(roots: Root[], nodes: Node[]): Lockfile {
  const requests: Lockfile["requests"] = {};
  for (const root of roots) requests[requestOf(root)] = `node_modules/${root.folder}`;
  const packages: Lockfile["packages"] = {};
  for (const { path, manifest } of nodes) {
    if (manifest === undefined) continue;
    const { name, version, dist } = manifest;
    packages[path] = { name, version, integrity: dist.integrity ?? legacyIntegrity(dist.shasum) };
  }
  return { lockfileVersion: 1, requests, packages };
}

function requestOf({ name, range }: Root): string {
  return range === "latest" ? name : `${name}@${range}`;
}

/** Packages from before 2017 have a SHA-1 alone. */
function legacyIntegrity(shasum: string | undefined): string {
  return shasum === undefined ? "" : `sha1-${Uint8Array.fromHex(shasum).toBase64()}`;
}

async function inMemory(hash: string, { store }: Supply): Promise<DependencySet | undefined> {
  const { set, seenMs } = held.get(hash) ?? {};
  if (set === undefined || seenMs === undefined) return undefined;
  const isSeen =
    Date.now() < seenMs + HELD_MS || (await store.head(`dependencies/${hash}`)) !== null;
  if (isSeen) hold(hash, set, Date.now() < seenMs + HELD_MS ? seenMs : Date.now());
  return isSeen ? set : undefined;
}

async function kept(hash: string, { store }: Supply): Promise<DependencySet | undefined> {
  const set = await (await store.get(`dependencies/${hash}`))?.json<DependencySet>();
  if (set) hold(hash, set, Date.now());
  return set;
}

type Order = { wants: Want[]; lockfile: Lockfile; supply: Supply };

async function made(hash: string, { wants, lockfile, supply }: Order): Promise<DependencySet> {
  const { registry, store } = supply;
  try {
    const tree = installed(lockfile, { registry: openRegistry(registry), store });
    const set = await buildSet(wants, tree);
    await store.put(`dependencies/${hash}`, JSON.stringify(set));
    hold(hash, set, Date.now());
    return set;
  } catch (error) {
    throw error instanceof Refusal ? placed(error, wants) : error;
  }
}

/** A fault below the packages that are imported is laid at the import of the one named, else at the first. */
function placed(refusal: Refusal, wants: Want[]): Refusal {
  const named = wants.find(({ request }) =>
    refusal.message.includes(`"${parseSpecifier(request)?.name}@`),
  );
  const { specifier, importer } = named ?? wants[0] ?? {};
  const { message, upstream } = refusal;
  const text = named === undefined ? `"${specifier}" needs it in` : "it is imported by";
  const error = new Refusal(`${message} (${text} "${importer}")`, { upstream, cause: refusal });
  error.specifier = refusal.specifier ?? specifier;
  return error;
}

function hold(hash: string, set: DependencySet, seenMs: number): void {
  held.delete(hash);
  held.set(hash, { set, seenMs });
  const [oldest] = held.keys();
  if (held.size > SETS_HELD && oldest !== undefined) held.delete(oldest);
}

import type { Manifest, Packument as PackumentType } from "./manifest.ts";
import { Packument } from "./manifest.ts";
import { Refusal } from "./refusal.ts";

const DEFAULT_TIMEOUT_MS = 20_000;
const METADATA_SECONDS = 300;
const MAX_METADATA_BYTES = 32 * 2 ** 20;
const MAX_TARBALL_BYTES = 24 * 2 ** 20;

/** Where packages come from. */
export type RegistryAddress = { url: string; token: string | undefined; timeoutMs?: number };

export type Registry = {
  packument(name: string): Promise<PackumentType>;
  tarball(manifest: Pick<Manifest, "name" | "version" | "dist">): Promise<Uint8Array<ArrayBuffer>>;
};

/** The npm registry that the operator named. Unless `fresh`, what it said five minutes ago is believed. */
export function openRegistry(address: RegistryAddress, fresh = false): Registry {
  const asked = new Map<string, Promise<PackumentType>>();
  return {
    packument(name) {
      const answer = asked.get(name) ?? packumentOf(address, name, fresh);
      asked.set(name, answer);
      return answer;
    },
    async tarball({ name, version, dist }) {
      const what = `${name}@${version}`;
      const response = await get(address, dist.tarball, what);
      if (!response.ok) throw faulty(what, `answered ${response.status}`);
      return await bytesOf(response, what, MAX_TARBALL_BYTES);
    },
  };
}

async function packumentOf(
  address: RegistryAddress,
  name: string,
  fresh: boolean,
): Promise<PackumentType> {
  if (address.url === "") throw new Refusal("No npm registry is configured", { upstream: true });
  const url = `${address.url.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const kept = fresh ? undefined : await caches.default.match(url);
  const response = kept ?? (await get(address, url, name));
  if (response.status === 404) throw new Refusal(`There is no package "${name}"`);
  if (!response.ok) throw faulty(name, `answered ${response.status}`);
  const bytes = await bytesOf(response, name, MAX_METADATA_BYTES);
  const packument = parsed(bytes, name);
  if (kept === undefined && address.token === undefined) await keep(url, bytes);
  return packument;
}

function parsed(bytes: Uint8Array, name: string): PackumentType {
  try {
    return Packument.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw faulty(name, "answered something that is no package metadata", error);
  }
}

async function keep(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const headers = { "cache-control": `max-age=${METADATA_SECONDS}` };
  await caches.default.put(url, new Response(bytes, { headers }));
}

/** One request, and a second one where the first met a fault that passes. */
async function get(address: RegistryAddress, url: string, what: string): Promise<Response> {
  const first = await attempt(address, url).catch((error: unknown) => error);
  if (first instanceof Response && first.status < 500 && first.status !== 429) return first;
  if (first instanceof Response) await first.body?.cancel();
  try {
    return await attempt(address, url);
  } catch (error) {
    throw faulty(what, "did not answer", error);
  }
}

async function attempt(address: RegistryAddress, url: string): Promise<Response> {
  const { url: registry, token, timeoutMs = DEFAULT_TIMEOUT_MS } = address;
  const headers = new Headers({ accept: "application/vnd.npm.install-v1+json, */*;q=0.8" });
  // Tarballs may lie elsewhere: the token is for the registry alone.
  if (token !== undefined && new URL(url).origin === new URL(registry).origin) {
    headers.set("authorization", `Bearer ${token}`);
  }
  return await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
}

async function bytesOf(
  response: Response,
  what: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (announced > limit) {
    await response.body?.cancel();
    throw tooLarge(what, announced, limit);
  }
  try {
    return await collected(response, what, limit);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw faulty(what, "broke off its answer", error);
  }
}

async function collected(
  response: Response,
  what: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLarge(what, size, limit);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function tooLarge(what: string, size: number, limit: number): Refusal {
  return new Refusal(
    `The package "${what}" is too large: ${megabytes(size)} or more packed, of ${megabytes(limit)}`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function faulty(what: string, did: string, cause?: unknown): Refusal {
  return new Refusal(`The registry ${did} when asked for "${what}"`, { upstream: true, cause });
}

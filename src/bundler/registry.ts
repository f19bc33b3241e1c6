import {
  followRedirects,
  guardedFetch,
  operatorFetch,
  TargetRefused,
} from "#sandbox/egress/guarded-fetch.ts";

import type { Manifest, Packument as PackumentType } from "./manifest.ts";
import { Packument } from "./manifest.ts";
import { Refusal } from "./refusal.ts";

const DEFAULT_TIMEOUT_MS = 20_000;
const MAX_METADATA_BYTES = 16 * 2 ** 20;
const MAX_TARBALL_BYTES = 24 * 2 ** 20;

/** What a registry may say of all packages of a set: it is held until they are laid out. */
const MAX_TOTAL_METADATA_BYTES = 40 * 2 ** 20;

/** Where packages come from. */
export type RegistryAddress = {
  url: string;
  token: string | undefined;
  timeoutMs?: number;
  /** Whether tarballs may lie at private addresses beside the registry. */
  allowPrivate: boolean;
  /** The way to the registry, where the runtime's own network refuses private addresses. */
  operator?: Fetcher | undefined;
};

export type Registry = {
  packument(name: string): Promise<PackumentType>;
  tarball(manifest: Pick<Manifest, "name" | "version" | "dist">): Promise<Tarball>;
};

/** A package as it is published: how large it is, known before it is read, and at most, and how to read it. */
export type Tarball = { size: number; read(): Promise<Uint8Array<ArrayBuffer>> };

/**
 * The npm registry that the operator named. Nothing it answers is kept for other callers: Cloudflare's Cache API belongs
 * to the whole zone, and does nothing on workers.dev. Resolved versions and tarballs are kept in the code store instead.
 */
export function openRegistry(address: RegistryAddress): Registry {
  const asked = new Map<string, Promise<PackumentType>>();
  let total = 0;
  const count = (size: number, name: string): void => {
    total += size;
    if (total > MAX_TOTAL_METADATA_BYTES) throw tooMuchMetadata(name);
  };
  return {
    packument(name) {
      const answer = asked.get(name) ?? packumentOf(address, name, count);
      asked.set(name, answer);
      return answer;
    },
    async tarball({ name, version, dist }) {
      const what = `${name}@${version}`;
      const response = await get(address, dist.tarball, what);
      if (!response.ok) throw faulty(what, `answered ${response.status}`);
      const size = Number(response.headers.get("content-length") ?? MAX_TARBALL_BYTES);
      return { size, read: () => bytesOf(response, what, MAX_TARBALL_BYTES) };
    },
  };
}

async function packumentOf(
  address: RegistryAddress,
  name: string,
  count: (size: number, name: string) => void,
): Promise<PackumentType> {
  if (address.url === "") throw new Refusal("No npm registry is configured", { upstream: true });
  const url = `${address.url.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const response = await get(address, url, name);
  if (response.status === 404) throw new Refusal(`There is no package "${name}"`);
  if (!response.ok) throw faulty(name, `answered ${response.status}`);
  const bytes = await bytesOf(response, name, MAX_METADATA_BYTES);
  count(bytes.length, name);
  return parsed(bytes, name);
}

function parsed(bytes: Uint8Array, name: string): PackumentType {
  try {
    return Packument.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw faulty(name, "answered something that is no package metadata", error);
  }
}

/** One request, and a second one where the first met a fault that passes. */
async function get(address: RegistryAddress, url: string, what: string): Promise<Response> {
  const first = await attempt(address, url).catch((error: unknown) => error);
  if (first instanceof TargetRefused) throw new Refusal(first.message, { upstream: true });
  if (first instanceof Response && first.status < 500 && first.status !== 429) return first;
  if (first instanceof Response) await first.body?.cancel();
  try {
    return await attempt(address, url);
  } catch (error) {
    throw faulty(what, "did not answer", error);
  }
}

async function attempt(address: RegistryAddress, url: string): Promise<Response> {
  const signal = AbortSignal.timeout(address.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const { response } = await followRedirects(new URL(url), (at) => ask(address, at, signal));
  return response;
}

/** Tarballs may lie elsewhere: the token and the operator's network are for the registry alone. */
async function ask(
  { url: registry, token, allowPrivate, operator }: RegistryAddress,
  at: URL,
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers({ accept: "application/vnd.npm.install-v1+json, */*;q=0.8" });
  const request = new Request(at, { headers, signal, redirect: "manual" });
  if (at.origin !== new URL(registry).origin) return guardedFetch(request, { allowPrivate });
  if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
  return operatorFetch(request, operator);
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

function tooMuchMetadata(name: string): Refusal {
  const limit = megabytes(MAX_TOTAL_METADATA_BYTES);
  return new Refusal(
    `The imported packages need too many others: more than ${limit} of package metadata by "${name}"`,
  );
}

function faulty(what: string, did: string, cause?: unknown): Refusal {
  return new Refusal(`The registry ${did} when asked for "${what}"`, { upstream: true, cause });
}

import semver from "semver";

import type { ForeignResponse } from "#domain/body.ts";
import {
  followRedirects,
  guardedFetch,
  operatorFetch,
  TargetRefused,
} from "#sandbox/egress/guarded-fetch.ts";

import type { Manifest, Packument as PackumentType } from "./manifest.ts";
import { manifestOf, Packument, pickVersion } from "./manifest.ts";
import { Refusal } from "./refusal.ts";

const DEFAULT_TIMEOUT_MS = 20_000;
const MAX_METADATA_BYTES = 16 * 2 ** 20;
const MAX_TARBALL_BYTES = 24 * 2 ** 20;

/**
 * Maximum parsed JSON about packages in memory: the least recently used is dropped, and requested again when needed.
 */
const MAX_HELD_METADATA_BYTES = 24 * 2 ** 20;

/** The npm registry of packages. */
export type RegistryAddress = {
  url: string;
  token: string | undefined;
  timeoutMs?: number;
  /** Whether tarballs may have private addresses as the registry may. */
  allowPrivate: boolean;
  /** The connection to the registry, if the runtime's own network refuses private addresses. */
  operator?: Fetcher | undefined;
};

export type Registry = {
  /**
   * The manifest of the version that npm would install for a range or a dist-tag; undefined if there is none. Throws a
   * `Refusal` if there is no such package.
   */
  manifest(name: string, range: string): Promise<Manifest | undefined>;
  tarball(manifest: Pick<Manifest, "name" | "version" | "dist">): Promise<Tarball>;
};

/** A published package: its size, known or at most, and a function that reads it. */
export type Tarball = { size: number; read(): Promise<Uint8Array<ArrayBuffer>> };

/**
 * The operator's npm registry. No response is cached for other callers: Cloudflare's Cache API belongs to the whole
 * zone, and does nothing on workers.dev. Resolved versions and tarballs are kept in the code store instead.
 */
export function openRegistry(address: RegistryAddress): Registry {
  const packuments = new Packuments((name) => packumentOf(address, name));
  return {
    async manifest(name, range) {
      try {
        const packument = await packuments.get(name);
        return manifestOf(packument, pickVersion(packument, range) ?? range);
      } catch (error) {
        if (!(error instanceof TooManyVersions) || semver.valid(range) === null) throw error;
        return await manifestAlone(address, name, range);
      }
    },
    async tarball({ name, version, dist }) {
      const what = `${name}@${version}`;
      const response = await get(address, dist.tarball, what);
      if (!response.ok) throw faulty(what, `responded with ${response.status}`);
      const size = Number(response.headers.get("content-length") ?? MAX_TARBALL_BYTES);
      return { size, read: () => bytesOf(response, what, MAX_TARBALL_BYTES) };
    },
  };
}

/** A packument and the size of its JSON. */
type Sized = { packument: PackumentType; bytes: number };

/** Packuments by name, as many as fit into memory. */
class Packuments {
  readonly #request: (name: string) => Promise<Sized>;
  /** Requests that are under way, and those that failed. */
  readonly #requests = new Map<string, Promise<Sized>>();
  /** The least recently used first. */
  readonly #held = new Map<string, Sized>();
  #bytes = 0;

  constructor(request: (name: string) => Promise<Sized>) {
    this.#request = request;
  }

  async get(name: string): Promise<PackumentType> {
    const held = this.#held.get(name);
    if (held === undefined) return (await this.#requested(name)).packument;
    this.#held.delete(name);
    this.#held.set(name, held);
    return held.packument;
  }

  #requested(name: string): Promise<Sized> {
    const request = this.#requests.get(name) ?? this.#requestAndHold(name);
    this.#requests.set(name, request);
    return request;
  }

  async #requestAndHold(name: string): Promise<Sized> {
    const sized = await this.#request(name);
    this.#requests.delete(name);
    this.#held.set(name, sized);
    this.#bytes += sized.bytes;
    for (const [other, { bytes }] of this.#held) {
      if (this.#bytes <= MAX_HELD_METADATA_BYTES) break;
      this.#held.delete(other);
      this.#bytes -= bytes;
    }
    return sized;
  }
}

/** Metadata of a package that was published thousands of times. */
class TooManyVersions extends Refusal {}

/** The manifest of an exact version from the registry's document about it; undefined if there is none. */
async function manifestAlone(
  address: RegistryAddress,
  name: string,
  version: string,
): Promise<Manifest | undefined> {
  const what = `${name}@${version}`;
  const response = await get(address, `${urlOf(address, name)}/${version}`, what);
  if (response.status === 404) return undefined;
  if (!response.ok) throw faulty(what, `responded with ${response.status}`);
  const bytes = await bytesOf(response, what, MAX_METADATA_BYTES);
  const manifest: unknown = jsonIn(bytes, what);
  return manifestOf({ name, "dist-tags": {}, versions: { [version]: manifest } }, version);
}

function urlOf({ url }: RegistryAddress, name: string): string {
  return `${url.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
}

async function packumentOf(address: RegistryAddress, name: string): Promise<Sized> {
  if (address.url === "") throw new Refusal("No npm registry is configured", { upstream: true });
  const response = await get(address, urlOf(address, name), name);
  if (response.status === 404) throw new Refusal(`There is no package "${name}"`);
  if (!response.ok) throw faulty(name, `responded with ${response.status}`);
  const bytes = await bytesOf(response, name, MAX_METADATA_BYTES).catch((error: unknown) => {
    throw error instanceof TooLarge ? tooManyVersions(name, error) : error;
  });
  const { data, error } = Packument.safeParse(jsonIn(bytes, name));
  if (data === undefined) throw faulty(name, INVALID_METADATA, error);
  return { packument: data, bytes: bytes.length };
}

const INVALID_METADATA = "returned invalid package metadata";

function jsonIn(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw faulty(what, INVALID_METADATA, error);
  }
}

function tooManyVersions(name: string, cause: TooLarge): TooManyVersions {
  return new TooManyVersions(
    `The registry's list of the versions of "${name}" is too large, with more than ${megabytes(MAX_METADATA_BYTES)}: import an exact version`,
    { cause },
  );
}

/** Send a request, and repeat it once after a transient fault. */
async function get(address: RegistryAddress, url: string, what: string): Promise<ForeignResponse> {
  const first = await attempt(address, url).catch((error: unknown) => error);
  if (first instanceof TargetRefused) throw new Refusal(first.message, { upstream: true });
  if (first instanceof Response && first.status < 500 && first.status !== 429) return first;
  if (first instanceof Response) await first.body?.cancel();
  try {
    return await attempt(address, url);
  } catch (error) {
    throw faulty(what, "did not respond", error);
  }
}

async function attempt(address: RegistryAddress, url: string): Promise<ForeignResponse> {
  const signal = AbortSignal.timeout(address.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const { response } = await followRedirects(new URL(url), (at) => send(address, at, signal));
  return response;
}

/** Tarballs may have another origin: the token and the operator's network are for the registry alone. */
async function send(
  { url: registry, token, allowPrivate, operator }: RegistryAddress,
  at: URL,
  signal: AbortSignal,
): Promise<ForeignResponse> {
  const headers = new Headers({ accept: "application/vnd.npm.install-v1+json, */*;q=0.8" });
  const request = new Request(at, { headers, signal, redirect: "manual" });
  if (at.origin !== new URL(registry).origin) return guardedFetch(request, { allowPrivate });
  if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
  return operatorFetch(request, operator);
}

async function bytesOf(
  response: ForeignResponse,
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
    throw faulty(what, "interrupted its response", error);
  }
}

async function collected(
  response: ForeignResponse,
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

/** A response with too many bytes. */
class TooLarge extends Refusal {}

function tooLarge(what: string, size: number, limit: number): TooLarge {
  return new TooLarge(
    `The package "${what}" is too large: ${megabytes(size)} or more packed, of ${megabytes(limit)}`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function faulty(what: string, did: string, cause?: unknown): Refusal {
  return new Refusal(`The registry ${did} to the request for "${what}"`, { upstream: true, cause });
}

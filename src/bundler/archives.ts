import type { ForeignResponse } from "#domain/body.ts";
import { MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";
import {
  followRedirects,
  type Guard,
  guardedFetch,
  TargetRefused,
  TooManyRedirects,
} from "#sandbox/egress/guarded-fetch.ts";

import { type ArchiveIndex, type Pack, unpackArchive } from "./archive.ts";
import { ArchivedFiles } from "./archived-files.ts";
import type { ArchivedComponent, Unpacked } from "./contract.ts";
import { Refusal } from "./refusal.ts";
import type { BundlerStore } from "./store.ts";

/** Timeout for an archive's download. */
const TIMEOUT_MS = 10 * 60 * 1000;

/** Thrown if the archive of an import cannot be read. */
class Unavailable extends Error {
  readonly upstream: boolean;

  constructor(message: string, upstream: boolean) {
    super(message);
    this.upstream = upstream;
  }
}

/** Archives of components in the store, by the id of their import. */
export class Archives {
  readonly #store: BundlerStore;

  constructor(store: BundlerStore) {
    this.#store = store;
  }

  /**
   * Unpack the archive at a URL, else the uploaded one. Repeating it writes the same files. Returns the paths of its
   * components.
   */
  async unpack(id: string, url: string | undefined, guard: Guard): Promise<Unpacked> {
    try {
      const archive = url === undefined ? await this.#uploaded(id) : await fetched(url, guard);
      const index = await unpackArchive(archive, async (pack, files) => {
        await this.#store.put(packOf(id, pack), JSON.stringify(files));
      });
      await this.#store.put(indexOf(id), JSON.stringify(index));
      return { ok: true, components: index.components };
    } catch (error) {
      if (error instanceof Unavailable)
        return { ok: false, reason: error.message, upstream: error.upstream };
      if (error instanceof Refusal) return { ok: false, reason: error.message, upstream: false };
      throw error;
    }
  }

  /**
   * The first of some components of an unpacked archive, with all files that they need: at least one, and as many as
   * fit into one call.
   */
  async files(id: string, paths: readonly string[]): Promise<ArchivedComponent[]> {
    const index = await this.#json<ArchiveIndex>(indexOf(id));
    const files = new ArchivedFiles(index, (pack) => this.#json<Pack>(packOf(id, pack)));
    const found: ArchivedComponent[] = [];
    let room = MAX_CALL_BYTES;
    for (const path of paths) {
      const component = await files.closure(path);
      room -= bytesOf(component);
      if (room < 0 && found.length > 0) break;
      found.push(component);
    }
    return found;
  }

  async #uploaded(id: string): Promise<ReadableStream<Uint8Array>> {
    const archive = await this.#store.get(`imports/${id}/archive`);
    if (archive === null) throw new Unavailable("The uploaded archive was deleted", false);
    return archive.body;
  }

  async #json<T>(name: string): Promise<T> {
    const file = await this.#store.get(name);
    if (file === null) throw new Error(`${name} is missing from the store`);
    return file.json<T>();
  }
}

function bytesOf(component: ArchivedComponent): number {
  const files = component.ok ? Object.entries(component.files) : [];
  return files.reduce((sum, [path, text]) => sum + maxWireBytes(path + text), 0);
}

function indexOf(id: string): string {
  return `imports/${id}/index`;
}

function packOf(id: string, pack: number): string {
  return `imports/${id}/pack-${pack}`;
}

async function fetched(url: string, guard: Guard): Promise<ReadableStream<Uint8Array>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { response } = await followRedirects(new URL(url), (hop) =>
      guardedFetch(new Request(hop, { redirect: "manual", signal }), guard),
    );
    return await bodyOf(url, response);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    if (error instanceof TargetRefused) throw new Unavailable(error.message, false);
    const reason = error instanceof TooManyRedirects ? error.message : `${url} does not respond`;
    throw new Unavailable(reason, true);
  }
}

async function bodyOf(url: string, response: ForeignResponse): Promise<ReadableStream<Uint8Array>> {
  const { ok, body, status } = response;
  if (ok && body !== null) return body;
  await body?.cancel();
  throw new Unavailable(`${url} responded with ${status}`, status >= 500 || status === 429);
}

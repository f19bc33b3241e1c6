import { sha256Hex } from "#domain/hash.ts";

import type { Bundled, BundleRequest } from "./contract.ts";

/** Maximum characters of all kept bundles: two bytes each at most, as the compiler needs most of the isolate. */
const MAX_CHARACTERS = 512 * 1024;

type Build = Extract<Bundled, { ok: true }>;

/**
 * The last bundles of code without packages, which depends on its files alone. Programs deploy the same component for each
 * of their users, and people save unchanged files.
 */
export class RecentBundles {
  /** By the hash of the request, in the order of their last use. */
  readonly #kept = new Map<string, Build>();
  #characters = 0;

  /** The bundle of a request: a kept one, else the result of `build`. */
  async of(
    request: Omit<BundleRequest, "client">,
    build: () => Promise<Bundled>,
  ): Promise<Bundled> {
    const key = await sha256Hex(JSON.stringify(request));
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const bundled = await build();
    if (bundled.ok && Object.keys(bundled.bundle.lockfile.packages).length === 0)
      this.#keep(key, bundled);
    return bundled;
  }

  #keep(key: string, built: Build): void {
    this.#drop(key);
    this.#kept.set(key, built);
    this.#characters += charactersOf(built);
    // The oldest first.
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= MAX_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const dropped = this.#kept.get(key);
    if (dropped === undefined) return;
    this.#kept.delete(key);
    this.#characters -= charactersOf(dropped);
  }
}

function charactersOf({ bundle }: Build): number {
  const files = Object.values(bundle.ownFiles ?? {});
  return files.reduce((sum, { length }) => sum + length, bundle.code.length + bundle.map.length);
}

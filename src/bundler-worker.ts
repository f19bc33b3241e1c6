import { WorkerEntrypoint } from "cloudflare:workers";

import { Admission } from "#bundler/admission.ts";
import { Archives } from "#bundler/archives.ts";
import { noteBuilds } from "#bundler/build-notes.ts";
import { bundle } from "#bundler/bundle.ts";
import type {
  ArchivedComponent,
  Bundled,
  BundlerCalls,
  BundleRequest,
  FetchedFiles,
  SentBundled,
  SourceFiles,
  Unpacked,
} from "#bundler/contract.ts";
import { probeCompiler } from "#bundler/esbuild.ts";
import { RecentBundles } from "#bundler/recent-bundles.ts";
import { fetchFiles } from "#bundler/remote-files.ts";
import { type BuildHost, type BundlerStore, remoteStore } from "#bundler/store.ts";
import { sendable } from "#bundler/transfer.ts";

/** The bindings of the Worker (wrangler.bundler.toml). */
type BundlerEnv = {
  /** Absent in a process of its own, where the platform is its host. */
  CODE?: R2Bucket;
  PLATFORM?: BuildHost;
  NPM_REGISTRY_URL: string;
  ALLOW_PRIVATE_TARGETS: string;
  NPM_TOKEN?: string;
  /** Reaches private addresses, for the registry. Only in local runs without such access. */
  OPERATOR_NETWORK?: Fetcher;
};

/**
 * Characters of files that wait to be built: two bytes each at most, and the compiler needs the rest of the isolate.
 */
const MAX_WAITING_CHARACTERS = 6 * 2 ** 20;

/** The size of most components: admitted beside the waiting builds of other clients. */
const SMALL_CHARACTERS = 64 * 1024;

/**
 * Maximum time of a build: two minutes for a set of packages, and a turn before and after it; also for a cancelled one.
 */
const STAY_MS = 3 * 60 * 1000;

const admission = new Admission({
  limit: MAX_WAITING_CHARACTERS,
  small: SMALL_CHARACTERS,
  stayMs: STAY_MS,
});

const recent = new RecentBundles();

/**
 * Bundles components in isolates that do nothing else: the compiler uses most of the 128 MB of one, and code that
 * crashes it fails no request of the API and no object.
 */
export class Bundler extends WorkerEntrypoint<BundlerEnv> implements BundlerCalls {
  /** Bundle files. Never throws because of a caller's input. */
  async bundle({ client, files, call, ...terms }: BundleRequest): Promise<SentBundled> {
    const { NPM_REGISTRY_URL: url, NPM_TOKEN: token, OPERATOR_NETWORK: operator } = this.env;
    const store = this.#store();
    const registry = { url, token, operator, allowPrivate: this.#allowsPrivate() };
    const resolverDeps = { registry, store, client };
    const characters = charactersOf(files);
    const build = async (): Promise<Bundled> => {
      const leave = admission.enter(client, characters);
      if (leave === undefined) return { ok: false, issues: [], overloaded: true };
      // Part of the awaited work: after the caller disconnects, no code after this `await` runs.
      return await bundle(files, resolverDeps, terms).finally(leave);
    };
    const bundled = this.#noted(call, () =>
      characters > SMALL_CHARACTERS ? build() : recent.of({ files, ...terms }, build),
    );
    return sendable(await this.#finished(bundled));
  }

  /** Read a component's files from the URL of its entry. Never throws because of their content. */
  async fetchFiles(client: string, url: string, call?: string): Promise<FetchedFiles> {
    const terms = { client, allowPrivate: this.#allowsPrivate() };
    return await this.#finished(this.#noted(call, () => fetchFiles(url, terms)));
  }

  /** Unpack the archive of an import: the one at a URL, else the uploaded one. Never throws because of its content. */
  async unpack(id: string, url?: string): Promise<Unpacked> {
    const guard = { allowPrivate: this.#allowsPrivate() };
    return await this.#finished(new Archives(this.#store()).unpack(id, url, guard));
  }

  /**
   * The first of some components of an unpacked archive, with all files that they need, as many as one call carries.
   */
  async archivedFiles(id: string, paths: string[]): Promise<ArchivedComponent[]> {
    return await new Archives(this.#store()).files(id, paths);
  }

  /** Build one line. Throws if the compiler does not work. */
  async probe(): Promise<void> {
    await this.#finished(probeCompiler());
  }

  #store(): BundlerStore {
    const { CODE: bucket, PLATFORM: host } = this.env;
    if (bucket) return bucket;
    if (host) return remoteStore(host);
    throw new Error("The bundler has no code store");
  }

  /** Work whose builds the host learns of, if there is one. */
  #noted<T>(call: string | undefined, work: () => Promise<T>): Promise<T> {
    const { PLATFORM: host } = this.env;
    return host && call !== undefined ? noteBuilds({ host, call }, work) : work();
  }

  #allowsPrivate(): boolean {
    return this.env.ALLOW_PRIVATE_TARGETS === "true";
  }

  /**
   * A caller that disconnects would stop the compiler in the middle of its start or of a build, because timers and
   * requests end with the call that made them.
   */
  async #finished<T>(work: Promise<T>): Promise<T> {
    this.ctx.waitUntil(work.catch(() => undefined));
    return await work;
  }
}

function charactersOf({ files }: SourceFiles): number {
  return Object.values(files).reduce((sum, text) => sum + text.length, 0);
}

export default {
  fetch: () => new Response("This Worker is called by the platform only", { status: 404 }),
} satisfies ExportedHandler<BundlerEnv>;

import type { BundlerCalls, NotBundled } from "#bundler/contract.ts";

import { BuildEnded, BuildWatch, type ProcessReport } from "./build-watch.ts";

let watch: BuildWatch | undefined;

/** The watch of a bundler in a process of its own; undefined: it is a Worker beside this one. */
export function buildWatch({ BUNDLER_PROCESS: process }: Env): BuildWatch | undefined {
  if (!process) return undefined;
  watch ??= new BuildWatch({
    process: async () => (await process.fetch("http://bundler/")).json<ProcessReport>(),
    kill: async (pid) => void (await process.fetch(`http://bundler/${pid}`, { method: "DELETE" })),
  });
  return watch;
}

/** The bundler's methods, for a process of its own with its limits. */
export function openBundler(env: Env): BundlerCalls {
  const bundler: BundlerCalls = env.BUNDLER;
  const builds = buildWatch(env);
  const calling = <T>(send: (call?: string) => Promise<T>): Promise<T> =>
    builds ? builds.during(send) : send();
  return {
    bundle: (request) =>
      refused(
        request.files.entry,
        calling((call) => bundler.bundle({ ...request, call })),
      ),
    fetchFiles: (client, url) =>
      refused(
        url,
        calling((call) => bundler.fetchFiles(client, url, call)),
      ),
    unpack: (id, url) => calling(() => bundler.unpack(id, url)),
    archivedFiles: (id, paths) => calling(() => bundler.archivedFiles(id, paths)),
    async probe() {
      // A process that builds responds afterwards.
      if (!builds?.isBuilding()) await bundler.probe();
    },
  };
}

/** The result of a call, or the reason why its build was ended. */
async function refused<T>(file: string, called: Promise<T>): Promise<T | NotBundled> {
  try {
    return await called;
  } catch (error) {
    if (!(error instanceof BuildEnded)) throw error;
    return { ok: false, issues: [{ file, line: 1, column: 0, text: error.message }] };
  }
}

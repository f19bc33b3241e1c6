import { AsyncLocalStorage } from "node:async_hooks";

import type { BuildHost } from "./store.ts";

/** The host that is told of the builds of a call. */
type BuildListener = { host: Pick<BuildHost, "beginBuild" | "endBuild">; call: string };

const listeners = new AsyncLocalStorage<BuildListener>();

/** Tell the platform of each build that some work starts: while one computes, nothing here could end it. */
export function noteBuilds<T>(listener: BuildListener, work: () => Promise<T>): Promise<T> {
  return listeners.run(listener, work);
}

/** Note that a build begins. Returns a function to call at its end. */
export async function beginBuild(limitMs: number): Promise<() => void> {
  const { host, call } = listeners.getStore() ?? {};
  if (host === undefined || call === undefined) return () => {};
  const build = await host.beginBuild(call, limitMs);
  return () => void host.endBuild(build).catch(() => {});
}

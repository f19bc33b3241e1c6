import { AsyncLocalStorage } from "node:async_hooks";

import type { BuildHost } from "./store.ts";

/** Who learns of the builds of a call. */
type Noted = { host: Pick<BuildHost, "beginBuild" | "endBuild">; call: string };

const noted = new AsyncLocalStorage<Noted>();

/** Tell the platform of each build that some work starts: while one computes, nothing here could end it. */
export function noteBuilds<T>(to: Noted, work: () => Promise<T>): Promise<T> {
  return noted.run(to, work);
}

/** Note that a build begins. Returns a function to call at its end. */
export async function beginBuild(limitMs: number): Promise<() => void> {
  const { host, call } = noted.getStore() ?? {};
  if (host === undefined || call === undefined) return () => {};
  const build = await host.beginBuild(call, limitMs);
  return () => void host.endBuild(build).catch(() => {});
}

import type { DeployedWorker } from "./worker.ts";

/** Fetches from the Workers of an account by their hostnames; `strays`: the first calls that find no Worker there. */
export function edgeOf(workerOf: (name: string) => DeployedWorker, strays: number): typeof fetch {
  let strayed = 0;
  return async (target, init) => {
    const { url } = new Request(target);
    const { hostname, pathname } = new URL(url);
    // Some places of the edge learn a new name later than that which was asked for its health.
    if (pathname !== "/health" && strayed < strays) {
      strayed += 1;
      return new Response("error code: 1042", { status: 404 });
    }
    const [, name = "wellspring"] = /^([^.]+)\..*\.workers\.dev$/.exec(hostname) ?? [];
    return workerOf(name).fetch(url, init);
  };
}

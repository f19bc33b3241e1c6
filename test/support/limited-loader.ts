import { env, exports, WorkerEntrypoint } from "cloudflare:workers";
import { onTestFinished } from "vitest";

import type { OwnerId } from "#domain/ids.ts";

import { replacing } from "./replacing.ts";

/** Requests to this URL count and get 204; others are sent. */
export const COUNTED_URL = "https://counted.test/";

type Props = { owner: OwnerId; isolate: string };

/** The number of requests that the current call of each isolate may still send. */
const left = new Map<string, number>();

/** The network of an isolate, which refuses requests beyond the limit of a call, as Cloudflare does. */
export class LimitedOutbound extends WorkerEntrypoint<Env, Props> {
  override async fetch(request: Request): Promise<Response> {
    const { owner, isolate } = this.ctx.props;
    const before = left.get(isolate) ?? 0;
    if (before === 0) throw new Error("Too many subrequests.");
    left.set(isolate, before - 1);
    if (request.url === COUNTED_URL) return new Response(null, { status: 204 });
    return this.ctx.exports.Egress({ props: { owner } }).fetch(request);
  }
}

/**
 * A loader that enforces the limit of requests in isolates with one call at a time: the lower one of those of the code
 * and of the entrypoint.
 */
function limitedLoader(loader: WorkerLoader, owner: OwnerId): WorkerLoader {
  return replacing(loader, {
    get: (name: string, code: () => Promise<WorkerLoaderWorkerCode>) => {
      const isolate = `limited:${name}`;
      const outbound = outboundOf({ owner, isolate });
      let ofCode = Infinity;
      const stub = loader.get(isolate, async () => {
        const loaded = await code();
        ofCode = loaded.limits?.subRequests ?? Infinity;
        left.set(isolate, Math.min(left.get(isolate) ?? Infinity, ofCode));
        return { ...loaded, globalOutbound: outbound };
      });
      return replacing(stub, {
        getEntrypoint: (...[entrypoint, options]: Parameters<WorkerStub["getEntrypoint"]>) => {
          const target = stub.getEntrypoint(entrypoint, options);
          const begun = (method: string) => {
            const call: unknown = Reflect.get(target, method);
            return (...given: unknown[]): unknown => {
              left.set(isolate, Math.min(options?.limits?.subRequests ?? Infinity, ofCode));
              return typeof call === "function" && Reflect.apply(call, target, given);
            };
          };
          return replacing(target, { invoke: begun("invoke"), invokeAll: begun("invokeAll") });
        },
      });
    },
  });
}

/** The types of the Worker do not include the test's own entrypoints. */
function outboundOf(props: Props): Fetcher {
  const { LimitedOutbound: open } = exports as unknown as {
    LimitedOutbound: (options: { props: Props }) => Fetcher;
  };
  return open({ props });
}

/** For the rest of a test, let an owner's code run within Cloudflare's limits of requests. */
export function limitRequests(owner: OwnerId): void {
  const { LOADER } = env;
  Object.assign(env, { LOADER: limitedLoader(LOADER, owner) });
  onTestFinished(() => void Object.assign(env, { LOADER }));
}

import { exports } from "cloudflare:workers";

import { bundle } from "./bundler/bundle.ts";
import { connect } from "./db/client.ts";
import { openCodeStore } from "./sandbox/code-store.ts";
import { loadUserCode } from "./sandbox/worker-loader.ts";
import type { Platform } from "./services/context.ts";

/** Wire what the services need to what this deployment is bound to. `origin` stands in where none is configured. */
export function openPlatform(env: Env, origin = ""): Platform {
  return {
    db: connect(env.DB),
    sources: (id) => env.SOURCES.getByName(id),
    bundle,
    sandbox: (owner, { hash, ...rest }) =>
      loadUserCode(
        env.LOADER,
        { owner, bundleHash: hash, egress: exports.Egress({ props: { owner } }) },
        async () => ({ hash, ...rest }),
      ),
    codeStore: openCodeStore(env.CODE),
    origin: env.PUBLIC_URL || origin,
    now: () => Math.floor(Date.now() / 1000),
  };
}

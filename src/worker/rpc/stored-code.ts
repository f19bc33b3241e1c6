import { WorkerEntrypoint } from "cloudflare:workers";

import type { DataStores, Call, Host, Outcome } from "#sandbox/user-code.ts";
import type { AppContext } from "#services/context.ts";
import { openStored } from "#worker/bindings.ts";

/**
 * Code of the store, called in an invocation of its own: Cloudflare allows four isolates at work for one request, which
 * a program that runs several actions at once would exceed.
 */
export class StoredCode extends WorkerEntrypoint<Env, { code: Parameters<AppContext["stored"]> }> {
  invoke(call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    return openStored(this.env, this.ctx.props.code).invoke(call, host, stores);
  }
}

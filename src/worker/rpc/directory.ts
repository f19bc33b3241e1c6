import { WorkerEntrypoint } from "cloudflare:workers";

import type { Settled } from "#durable-objects/source/contract.ts";
import { heedSettled } from "#services/sources/settle.ts";
import { openPlatform } from "#worker/bindings.ts";

/** Where objects tell what became of a change to them. They own their storage and never write D1; this does it for them. */
export class Directory extends WorkerEntrypoint<Env> {
  settled(settled: Settled): Promise<void> {
    return heedSettled(openPlatform(this.env), settled);
  }
}

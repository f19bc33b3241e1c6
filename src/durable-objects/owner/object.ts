import { DurableObject } from "cloudflare:workers";

import { isSetUp } from "#durable-objects/shared/schema.ts";

import type { OwnerControl } from "./contract.ts";
import { migrate } from "./migrations.ts";
import { RouteCache } from "./routes.ts";

/** The rows of D1 that an owner's emitters need with every event, cached here: their subscribers. */
export class OwnerObject extends DurableObject<Env> implements OwnerControl {
  // Null until it keeps something: a guessed name must not leave storage behind.
  #routes: RouteCache | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (isSetUp(ctx.storage)) this.#setUp();
  }

  async routes(ownerId: string, emitterIds: readonly string[]): Promise<string[]> {
    if (emitterIds.length === 0) return [];
    return this.#setUp().lookUp(emitterIds, (ids) =>
      this.ctx.exports.Directory.routes(ownerId, ids),
    );
  }

  async beginRoutesChange(change: string, emitterIds: readonly string[]): Promise<void> {
    this.#setUp().begin(change, emitterIds, Date.now());
  }

  async endRoutesChange(change: string, emitterIds: readonly string[]): Promise<void> {
    this.#setUp().end(change, emitterIds);
  }

  #setUp(): RouteCache {
    if (this.#routes) return this.#routes;
    migrate(this.ctx.storage);
    this.#routes = new RouteCache(this.ctx.storage);
    return this.#routes;
  }
}

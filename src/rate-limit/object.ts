import { DurableObject } from "cloudflare:workers";

import { type Window, withRequest } from "../domain/rate-limits.ts";

/**
 * Counts the requests of one API key, wherever they come in. In memory only: a window is over before an object that
 * nobody asks is evicted, and a restart gives callers a new one.
 */
export class RateLimitObject extends DurableObject<Env> {
  #window: Window | undefined;

  async count(): Promise<Window> {
    this.#window = withRequest(this.#window, Date.now());
    return this.#window;
  }
}

import { type Cause, nextShare } from "#domain/chains.ts";

import type { RenewToken } from "./accounts.ts";

/** The dependencies of a call's requests: the owner's egress for a cause, and renewal of refused access tokens. */
type Deps = { egress: (cause: Cause) => Fetcher; renewToken: RenewToken };

/**
 * Sends the requests of one call to the platform itself, and divides the call's budget of runs among its children. It
 * runs on the host, because a component can forge everything in its isolate.
 */
export class PlatformRequests {
  readonly #cause: Cause;
  readonly #deps: Deps;
  readonly #renewedTokens: string[] = [];
  #children = 0;
  #spent = 0;
  #hasEnded = false;

  /** `cause`: of the call. */
  constructor(cause: Cause, deps: Deps) {
    this.#cause = cause;
    this.#deps = deps;
  }

  /** Send a request as a child of the call. Rejects after the call's end, and if the request fails. */
  async send(request: Request): Promise<Response> {
    if (this.#hasEnded) throw new TypeError("The call of this request has ended");
    const { hops, depth } = this.#cause;
    const cause = { hops: hops + 1, depth: depth + 1, budget: this.takeShare() };
    return this.#deps.egress(cause).fetch(request);
  }

  /** The replacement of an access token that a provider refused; null: there is none, or the call has ended. */
  async renewToken(refused: string): Promise<string | null> {
    const isText: boolean = typeof refused === "string";
    if (this.#hasEnded || !isText) return null;
    const token = await this.#deps.renewToken(refused);
    if (token !== null) this.#renewedTokens.push(token);
    return token;
  }

  /** The access tokens that the call received beside those in its props. */
  renewedTokens(): readonly string[] {
    return this.#renewedTokens;
  }

  /** Take the share of the call's next child. 0: none is left. */
  takeShare(): number {
    const share = nextShare(this.#cause.budget - this.#spent, this.#children);
    this.#children += 1;
    this.#spent += share;
    return share;
  }

  /** Refuse further requests. Returns the number of runs of the budget that children received. */
  end(): number {
    this.#hasEnded = true;
    return this.#spent;
  }
}

import { type Cause, nextShare } from "#domain/chains.ts";

/**
 * Sends the requests of one call to the platform itself, and shares the call's budget of runs out among all that it leads
 * to. It runs on the host's side, because a component can forge everything in its isolate.
 */
export class PlatformRequests {
  readonly #cause: Cause;
  readonly #egress: (cause: Cause) => Fetcher;
  #children = 0;
  #spent = 0;
  #hasEnded = false;

  /** `cause`: of the call. `egress`: the owner's way to the network for requests with this cause. */
  constructor(cause: Cause, egress: (cause: Cause) => Fetcher) {
    this.#cause = cause;
    this.#egress = egress;
  }

  /** Send a request as a child of the call. Rejects after the call's end, and where the request fails. */
  async send(request: Request): Promise<Response> {
    if (this.#hasEnded) throw new TypeError("The call of this request has ended");
    const { hops, depth } = this.#cause;
    const cause = { hops: hops + 1, depth: depth + 1, budget: this.takeShare() };
    return this.#egress(cause).fetch(request);
  }

  /** Take the share of the call's next child. 0: nothing is left. */
  takeShare(): number {
    const share = nextShare(this.#cause.budget - this.#spent, this.#children);
    this.#children += 1;
    this.#spent += share;
    return share;
  }

  /** Refuse further requests. Returns how many runs of the budget went to children. */
  end(): number {
    this.#hasEnded = true;
    return this.#spent;
  }
}

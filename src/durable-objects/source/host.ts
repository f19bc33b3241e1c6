import { RpcTarget } from "cloudflare:workers";

import type { CustomResponse } from "#http/custom-response.ts";
import { problemOfWrite } from "#sandbox/outcome-bounds.ts";
import { checkedResponse } from "#sandbox/outcome.ts";
import type { PlatformRequests } from "#sandbox/platform-requests.ts";
import type { Capabilities, Outcome, Sink, Triggered } from "#sandbox/user-code.ts";

const NO_STEP: Triggered = { ok: false, message: "Only steps of workflows trigger workflows" };

/** The capabilities of a hook: commits to `$.service.db`, key by key. */
export class HookHost implements Capabilities {
  readonly #write: (key: string, value: string | null) => void;

  constructor(write: (key: string, value: string | null) => void) {
    this.#write = write;
  }

  async setDb(key: string, value: string | null): Promise<void> {
    if (typeof key !== "string" || (value !== null && typeof value !== "string"))
      throw new TypeError("setDb requires a key and JSON text or null");
    const problem = problemOfWrite(key, value);
    if (problem !== undefined) throw new RangeError(`The hook may not set ${problem}`);
    this.#write(key, value);
  }

  async respond(): Promise<void> {}

  async trigger(): Promise<Triggered> {
    return NO_STEP;
  }
}

/** The only call that the run of a custom-response event may make while it runs: respond to its caller. */
export class ResponseHost implements Capabilities {
  readonly #respond: (response: CustomResponse) => void;

  constructor(respond: (response: CustomResponse) => void) {
    this.#respond = respond;
  }

  async setDb(): Promise<void> {
    throw new TypeError("A run returns its writes with its outcome");
  }

  async respond(response: CustomResponse): Promise<void> {
    this.#respond(checkedResponse(response));
  }

  async trigger(): Promise<Triggered> {
    return NO_STEP;
  }
}

/** Receives outcomes of a group's runs while others go on, and sends their requests to the platform. */
export class OutcomeSink extends RpcTarget implements Sink {
  readonly #settle: (index: number, outcome: Outcome) => void;
  readonly #requests: readonly PlatformRequests[];

  /** `requests`: the requests of each run. */
  constructor(
    settle: (index: number, outcome: Outcome) => void,
    requests: readonly PlatformRequests[],
  ) {
    super();
    this.#settle = settle;
    this.#requests = requests;
  }

  async done(index: number, outcome: Outcome): Promise<void> {
    this.#settle(index, outcome);
  }

  async fetch(index: number, request: Request): Promise<Response> {
    return this.#requestsOf(index).send(request);
  }

  async renewToken(index: number, refused: string): Promise<string | null> {
    return this.#requestsOf(index).renewToken(refused);
  }

  #requestsOf(index: number): PlatformRequests {
    const requests = this.#requests[index];
    if (!requests) throw new RangeError(`There is no run at ${index}`);
    return requests;
  }
}

import { RpcTarget } from "cloudflare:workers";

import type { CustomResponse } from "#http/custom-response.ts";

import type { Capabilities, Host, Triggered } from "./user-code.ts";

/** The host of a call's requests: a `PlatformRequests`, or a stub of one. */
export type Sender = {
  send: (request: Request) => Promise<Response>;
  renewToken: (refused: string) => Promise<string | null>;
};

/** The host of one call: sends its requests to the platform, and has further methods for its kind of call. */
export class CallHost extends RpcTarget implements Host {
  readonly #requests: Sender;
  readonly #capabilities: Capabilities;

  constructor(requests: Sender, capabilities: Capabilities = NONE) {
    super();
    this.#requests = requests;
    this.#capabilities = capabilities;
  }

  fetch(request: Request): Promise<Response> {
    return this.#requests.send(request);
  }

  renewToken(refused: string): Promise<string | null> {
    return this.#requests.renewToken(refused);
  }

  setDb(key: string, value: string | null): Promise<void> {
    return this.#capabilities.setDb(key, value);
  }

  respond(response: CustomResponse): Promise<void> {
    return this.#capabilities.respond(response);
  }

  trigger(workflowId: string, event: string): Promise<Triggered> {
    return this.#capabilities.trigger(workflowId, event);
  }
}

/** For a call without further methods: a run returns its writes and its response when it ends. */
const NONE: Capabilities = {
  async setDb() {
    throw new TypeError("Only hooks write to $.service.db while they run");
  },
  async respond() {},
  async trigger() {
    return { ok: false, message: "Only steps of workflows trigger workflows" };
  },
};

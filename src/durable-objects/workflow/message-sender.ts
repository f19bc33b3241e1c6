import type { Cause } from "#domain/chains.ts";
import type { Mail, MailVerdict } from "#domain/mail.ts";

import type { OutboundMessage, RunPlan } from "./contract.ts";

/** How long the other side may take. */
const RESPONSE_DEADLINE_MS = 30_000;

/** Refusals of these kinds may be over soon; every other one is final. */
const PASSING = new Set([408, 425, 429]);

/** Where messages leave the platform. */
export type SenderDeps = {
  /** The owner's way out to the network, for requests with a cause. */
  egress: (cause: Cause) => Fetcher;
  mail: (mail: Mail) => Promise<MailVerdict>;
};

/** Delivers what steps send. */
export class MessageSender {
  readonly #deps: SenderDeps;
  readonly #plan: RunPlan;

  constructor(deps: SenderDeps, plan: RunPlan) {
    this.#deps = deps;
    this.#plan = plan;
  }

  /** Deliver a message. Returns why it never will arrive, if so; throws where it may be tried again. */
  async deliver(message: OutboundMessage): Promise<string | null> {
    if (message.kind === "http") return this.#request(message);
    const { kind: _, ...mail } = message;
    const { ownerId, workflowId } = this.#plan.deployment;
    const verdict = await this.#deps.mail({ ...mail, ownerId, workflowId });
    return verdict.ok ? null : `$.send.email: ${verdict.message}`;
  }

  async #request(message: Extract<OutboundMessage, { kind: "http" }>): Promise<string | null> {
    const { method, url, headers, body, isBase64, budget = 0 } = message;
    // A message that returns to an endpoint of ours must not loop for ever. Nothing waits for its response there.
    const cause = { hops: this.#plan.hops + 1, depth: 0, budget };
    const response = await this.#deps.egress(cause).fetch(url, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_DEADLINE_MS),
      ...(body !== null && { body: isBase64 ? Uint8Array.fromBase64(body) : body }),
    });
    await response.body?.cancel();
    const { status } = response;
    const { origin } = new URL(url);
    if (status >= 500 || PASSING.has(status)) throw new Error(`${origin} answered ${status}`);
    return status < 400 ? null : `${method} to ${origin}: it answered ${status}`;
  }
}

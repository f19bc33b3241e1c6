import type { Cause } from "#domain/chains.ts";
import type { Mail, MailResult } from "#domain/mail.ts";
import { sendOutbound } from "#sandbox/outbound-request.ts";
import type { OutboundMessage } from "#sandbox/side-effects.ts";

import type { RunPlan } from "./contract.ts";

/** The channels by which messages leave the platform. */
export type SenderDeps = {
  /** The owner's network access, for requests with a cause. */
  egress: (cause: Cause) => Fetcher;
  mail: (mail: Mail) => Promise<MailResult>;
};

/** Delivers the messages of steps. */
export class MessageSender {
  readonly #deps: SenderDeps;
  readonly #plan: RunPlan;

  constructor(deps: SenderDeps, plan: RunPlan) {
    this.#deps = deps;
    this.#plan = plan;
  }

  /** Deliver a message. Returns the reason if it can never arrive; throws if a retry may succeed. */
  async deliver(message: OutboundMessage): Promise<string | null> {
    if (message.kind === "http") return this.#request(message);
    const { kind: _, ...mail } = message;
    const { ownerId, workflowId } = this.#plan.deployment;
    const result = await this.#deps.mail({ ...mail, ownerId, workflowId });
    return result.ok ? null : `$.send.email: ${result.message}`;
  }

  #request(message: Extract<OutboundMessage, { kind: "http" }>): Promise<string | null> {
    // A message that returns to an endpoint of ours must not loop for ever. Nothing waits for its response there.
    const cause = { hops: this.#plan.hops + 1, depth: 0, budget: message.budget ?? 0 };
    return sendOutbound(this.#deps.egress(cause), message);
  }
}

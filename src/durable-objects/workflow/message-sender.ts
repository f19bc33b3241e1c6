import type { Cause } from "#domain/chains.ts";
import { errorMessage } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { Mail, MailResult } from "#domain/mail.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import { sendOutbound, type SendResult } from "#sandbox/outbound-request.ts";
import type { OutboundMessage } from "#sandbox/side-effects.ts";
import { log } from "#telemetry/log.ts";
import { during, mayBegin } from "#telemetry/under-way.ts";

import type { Messages, PendingMessage } from "./messages.ts";

/** Maximum messages that a workflow sends at once: an invocation may have six connections. */
const AT_ONCE = 6;

/** The delays before the repetitions of a message: five, within ten minutes. */
const DELAYS_MS = [5000, 20_000, 60_000, 120_000, 300_000];

/** Time after which an alarm looks for messages that a crashed process did not finish. */
const CRASH_CHECK_MS = 10_000;

/** The channels by which messages leave the platform. */
export type SenderDeps = {
  /** The owner's network access, for requests with a cause. */
  egress: (owner: OwnerId, cause: Cause) => Fetcher;
  mail: (mail: Mail) => Promise<MailResult>;
};

type Deps = SenderDeps & {
  workflowId: Id<"workflow">;
  owner: () => OwnerId | undefined;
  messages: Messages;
  alarm: Alarm;
  /** Record a message that will not arrive. */
  fail: (message: PendingMessage, error: string) => void;
};

/** Sends the messages of steps in the background, and repeats those that may arrive later. */
export class MessageSender {
  readonly #deps: Deps;
  readonly #inProgress = new Set<string>();
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Send what is due. */
  pump(): void {
    if (this.#isClosed || !mayBegin() || this.#inProgress.size >= AT_ONCE) return;
    for (const message of this.#deps.messages.due(Date.now(), AT_ONCE)) {
      const key = keyOf(message);
      if (this.#inProgress.size >= AT_ONCE || this.#inProgress.has(key)) continue;
      this.#inProgress.add(key);
      void during("runs", () => this.#send(message)).finally(() => {
        this.#inProgress.delete(key);
        this.pump();
      });
    }
  }

  /** The time of the next alarm for messages, epoch milliseconds. */
  nextDueMs(): number | undefined {
    const dueMs = this.#deps.messages.nextDueMs();
    return dueMs === undefined || dueMs > Date.now() ? dueMs : this.checkMs();
  }

  /** The time of an alarm for messages that are sent now, in case this process crashes. */
  checkMs(): number {
    return Date.now() + CRASH_CHECK_MS;
  }

  /** Send nothing any more: the workflow is about to be erased. */
  close(): void {
    this.#isClosed = true;
  }

  async #send(message: PendingMessage): Promise<void> {
    try {
      const result = await this.#deliver(message);
      if (!this.#isClosed) this.#settle(message, result);
    } catch (error) {
      const { workflowId: workflow_id } = this.#deps;
      log("message_send_failed", { workflow_id, error });
    }
  }

  #settle(message: PendingMessage, result: SendResult): void {
    const { messages, alarm, fail } = this.#deps;
    if (result.ok) return messages.settle(message, null);
    const delayMs = result.mayRepeat ? DELAYS_MS[message.attempts] : undefined;
    if (delayMs === undefined) return fail(message, result.message);
    const dueMs = Date.now() + delayMs;
    messages.postpone(message, dueMs, result.message);
    alarm.arm(dueMs);
  }

  async #deliver({ message: text, hops }: PendingMessage): Promise<SendResult> {
    const ownerId = this.#deps.owner();
    if (!ownerId) return { ok: false, message: "The workflow was deleted", mayRepeat: false };
    const message: OutboundMessage = JSON.parse(text);
    if (message.kind === "email") return this.#mail(message, ownerId);
    // A message that returns to an endpoint of ours must not loop for ever. Nothing waits for its response there.
    const cause = { hops: hops + 1, depth: 0, budget: message.budget ?? 0 };
    return sendOutbound(this.#deps.egress(ownerId, cause), message);
  }

  async #mail(
    message: Extract<OutboundMessage, { kind: "email" }>,
    ownerId: OwnerId,
  ): Promise<SendResult> {
    const { kind: _, ...mail } = message;
    const { workflowId } = this.#deps;
    try {
      const result = await this.#deps.mail({ ...mail, ownerId, workflowId });
      if (result.ok) return result;
      return { ok: false, message: `$.send.email: ${result.message}`, mayRepeat: false };
    } catch (error) {
      return { ok: false, message: `$.send.email: ${errorMessage(error)}`, mayRepeat: true };
    }
  }
}

function keyOf({ run_seq, number, place }: PendingMessage): string {
  return `${run_seq}:${number}:${place}`;
}

import { errorMessage } from "#domain/errors.ts";
import { abortAfter } from "#domain/timeout.ts";
import { keyIn } from "#sandbox/script.ts";

import { type ApiReply, isRecord, readReply } from "./api-reply.ts";
import { CallBudget } from "./call-budget.ts";
import type { KnownScript } from "./contract.ts";

/** The namespace and the credentials for it. */
export type ApiAccess = { url: string; accountId: string; namespace: string; token: string };

/** The limits for retries of an API that does not respond, or responds with faults. */
export type RetryLimits = { callMs: number; totalMs: number; firstWaitMs: number };

const RETRY_LIMITS: RetryLimits = { callMs: 15_000, totalMs: 25_000, firstWaitMs: 250 };
const MAX_WAIT_MS = 5000;

/** Scripts in a page of a listing. */
const PAGE = 100;

/** The final outcome of a call: `unavailable`, with the time of the next attempt, replaces `again`. */
export type ApiOutcome =
  | Exclude<ApiReply, { kind: "again" }>
  | { kind: "unavailable"; message: string; retryAfterMs: number };

export type Listing =
  | { kind: "ok"; scripts: (KnownScript | undefined)[]; cursor: string }
  | Exclude<ApiOutcome, { kind: "ok" }>;

type ApiCall = { method: "GET" | "PUT" | "DELETE"; path: string; body?: FormData };

/**
 * Cloudflare's API for the scripts of one dispatch namespace. Every call may be repeated: an upload writes the same
 * content under the same name, and a second deletion changes nothing. So a call with an unknown outcome is repeated.
 */
export class NamespaceApi {
  readonly budget: CallBudget;
  readonly #access: ApiAccess;
  readonly #limits: RetryLimits;

  constructor(access: ApiAccess, limits = RETRY_LIMITS, budget = new CallBudget()) {
    this.#access = access;
    this.#limits = limits;
    this.budget = budget;
  }

  upload(name: string, form: FormData): Promise<ApiOutcome> {
    return this.#persist({ method: "PUT", path: `/${name}`, body: form });
  }

  remove(name: string): Promise<ApiOutcome> {
    return this.#persist({ method: "DELETE", path: `/${name}` });
  }

  /** A page of the scripts in the namespace; undefined: a script that is not ours. */
  async list(cursor: string): Promise<Listing> {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
    const outcome = await this.#persist({ method: "GET", path: `?${query.toString()}` });
    if (outcome.kind !== "ok") return outcome;
    const listed: unknown[] = Array.isArray(outcome.result) ? outcome.result : [];
    return { kind: "ok", scripts: listed.map(scriptIn), cursor: outcome.cursor };
  }

  /** Call until a response is final, or the time is over. */
  async #persist(call: ApiCall): Promise<ApiOutcome> {
    const deadlineMs = Date.now() + this.#limits.totalMs;
    let waitMs = this.budget.waitMs(Date.now());
    let message = "The rate limit of Cloudflare's API is used up";
    for (let failures = 0; Date.now() + waitMs <= deadlineMs;) {
      await scheduler.wait(waitMs);
      // Other waiting calls may have been first.
      if (this.budget.waitMs(Date.now()) === 0) {
        const reply = await this.#send(call);
        if (reply.kind !== "again") return reply;
        ({ message } = reply);
        failures += 1;
        if (reply.afterMs !== undefined) this.budget.pauseUntil(Date.now() + reply.afterMs);
      }
      waitMs = Math.max(this.#backoffMs(failures), this.budget.waitMs(Date.now()));
    }
    return { kind: "unavailable", message, retryAfterMs: waitMs };
  }

  async #send({ method, path, body }: ApiCall): Promise<ApiReply> {
    const { url, accountId, namespace, token } = this.#access;
    const scripts = `${url}/accounts/${accountId}/workers/dispatch/namespaces/${namespace}/scripts`;
    this.budget.spend(Date.now());
    const { signal, clear } = abortAfter(this.#limits.callMs);
    try {
      const response = await fetch(scripts + path, {
        method,
        redirect: "manual",
        headers: { authorization: `Bearer ${token}` },
        signal,
        ...(body && { body }),
      });
      return readReply(response, await response.text(), Date.now());
    } catch (error) {
      const reason = errorMessage(error);
      return { kind: "again", message: `Cloudflare's API did not respond: ${reason}` };
    } finally {
      clear();
    }
  }

  /** Doubles each time, with jitter, so that calls that failed together are not retried together. */
  #backoffMs(failures: number): number {
    const waitMs = this.#limits.firstWaitMs * 2 ** Math.max(0, failures - 1);
    return Math.min(waitMs, MAX_WAIT_MS) * (0.5 + Math.random() / 2);
  }
}

function scriptIn(listed: unknown): KnownScript | undefined {
  if (!isRecord(listed) || typeof listed["id"] !== "string") return undefined;
  const tags: unknown[] = Array.isArray(listed["tags"]) ? listed["tags"] : [];
  const key = keyIn(tags.filter((tag) => typeof tag === "string"));
  return key && { name: listed["id"], ...key };
}

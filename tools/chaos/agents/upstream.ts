import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

import { listen } from "../../scripts/listen.ts";

/** Maximum items that a client has not received: `unique` compares an event with the last hundred. */
const MAX_UNRECEIVED = 90;

/** Maximum latency of a list, so that kills hit runs. */
const MAX_LATENCY_MS = 200;

/** Timeout of a push, and the delay before the next attempt. */
const PUSH = { timeoutMs: 10_000, retryMs: 100 };

/** A list of items that grows. It pushes new ones, or a notification of them, to its webhook until it acknowledges them. */
export class Feed {
  readonly name: string;
  readonly total: number;
  readonly #isNotifying: boolean;
  #released = 0;
  #acknowledged = 0;
  #hook: string | undefined;
  #isPushing = false;

  constructor({ name, total, isNotifying }: { name: string; total: number; isNotifying: boolean }) {
    this.name = name;
    this.total = total;
    this.#isNotifying = isNotifying;
  }

  /** Add one item, unless it is complete, or its client is too far behind. Returns whether it did. */
  release(received: number): boolean {
    if (this.#released >= this.total || this.#released - received >= MAX_UNRECEIVED) return false;
    this.#released += 1;
    void this.#push();
    return true;
  }

  /** The ids of all items. */
  ids(): string[] {
    return Array.from({ length: this.#released }, (_, index) => this.#item(index + 1).id);
  }

  get isComplete(): boolean {
    return this.#released === this.total;
  }

  /** Respond to a request of its component. */
  async answer(method: string, path: string, body: string): Promise<string> {
    if (path.startsWith("/hook")) {
      this.#hook = method === "PUT" ? body : undefined;
      return "{}";
    }
    const after = new URLSearchParams(path.split("?")[1]).get("after");
    const known = after === null ? this.#released - MAX_UNRECEIVED : Number(after);
    const first = Math.max(known, 0) + 1;
    const items = Array.from({ length: Math.max(this.#released - first + 1, 0) }, (_, index) =>
      this.#item(first + index),
    );
    await wait(Math.random() * MAX_LATENCY_MS);
    return JSON.stringify(items);
  }

  #item(number: number): { id: string; number: number } {
    return { id: `${this.name}-${number}`, number };
  }

  async #push(): Promise<void> {
    if (this.#isPushing || this.#hook === undefined) return;
    this.#isPushing = true;
    while (this.#hook !== undefined && this.#acknowledged < this.#released) {
      const next = this.#isNotifying ? this.#released : this.#acknowledged + 1;
      if (await isAcknowledged(this.#hook, this.#item(next))) this.#acknowledged = next;
      else await wait(PUSH.retryMs);
    }
    this.#isPushing = false;
  }
}

async function isAcknowledged(url: string, body: object): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PUSH.timeoutMs),
    });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // The platform was killed: it gets the item again.
    return false;
  }
}

/** Serve feeds by their names. */
export async function startUpstream(
  feeds: readonly Feed[],
): Promise<{ urlOf: (feed: Feed) => string; close: () => void }> {
  const byName = new Map(feeds.map((feed) => [feed.name, feed]));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name = "", path = ""] = /^\/([^/]+)(.*)$/.exec(request.url ?? "") ?? [];
    const body = await text(request);
    const answered = await byName.get(name)?.answer(request.method ?? "GET", path, body);
    response.writeHead(answered === undefined ? 404 : 200).end(answered);
  };
  const { url, close } = await listen((request, response) => {
    // A kill aborts requests.
    answer(request, response).catch(() => response.destroy());
  });
  return { urlOf: ({ name }) => `${url}/${name}`, close };
}

import { setTimeout as wait } from "node:timers/promises";

/** Events that were sent to components of the chaos tests, and the acknowledged ones. */
export class SentEvents {
  readonly acknowledged = new Set<string>();
  readonly #name: string;
  readonly #targetOf: (number: number) => Target | undefined;
  #sent = 0;

  /** `targetOf` tells where the event of a number, from 0, goes; undefined: nowhere yet. */
  constructor(name: string, targetOf: (number: number) => Target | undefined) {
    this.#name = name;
    this.#targetOf = targetOf;
  }

  get count(): number {
    return this.#sent;
  }

  /** A new event, unless it has no target yet. */
  next(): { url: string; body: { id: string; channel?: string } } | undefined {
    const target = this.#targetOf(this.#sent);
    if (!target) return undefined;
    const { url, channel } = target;
    const id = `${this.#name}-${this.#sent++}`;
    return { url, body: { id, ...(channel ? { channel } : {}) } };
  }
}

/** An endpoint, and the channel on which its component emits the event. */
type Target = { url: string; channel?: string };

/** The number of an event, by its id. */
export function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** The pause after a refused event, or without a target: an overloaded source requires one. */
const REFUSED_MS = 100;

/**
 * Post events over this many connections until stopped, and record each event with a 200 response. `pauseMs`: the pause
 * of a connection after each event.
 */
export async function sendEvents(
  sent: SentEvents,
  { connections, pauseMs = 0, until }: Traffic,
): Promise<void> {
  const client = async () => {
    while (!until.aborted) {
      const isAcknowledged = await send(sent);
      if (!isAcknowledged || pauseMs > 0) await wait(isAcknowledged ? pauseMs : REFUSED_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

type Traffic = { connections: number; pauseMs?: number | undefined; until: AbortSignal };

/** Send the next event. Returns whether it was acknowledged. */
async function send(sent: SentEvents): Promise<boolean> {
  const event = sent.next();
  if (!event) return false;
  const { url, body } = event;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // The status is the acknowledgment, whether or not the rest of the response follows.
    if (response.status === 200) sent.acknowledged.add(body.id);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // Killed before its response: nothing is acknowledged. The port refuses connections until the next start.
    return false;
  }
}

import { setTimeout as wait } from "node:timers/promises";

/** Events that were sent to one source, and its acknowledged ones. */
export class SentEvents {
  readonly acknowledged = new Set<string>();
  readonly channels = new Set<string>();
  readonly #name: string;
  #sent = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** The body of a new event. */
  next(): { id: string; channel: string } {
    const number = this.#sent++;
    const id = `${this.#name}-${number}`;
    const channel = this.channelOf(id);
    this.channels.add(channel);
    return { id, channel };
  }

  /** The channel of an event that was sent. */
  channelOf(id: string): string {
    const number = Number(id.slice(this.#name.length + 1));
    return `channel-${Math.floor(number / EVENTS_PER_CHANNEL)}`;
  }
}

// History keeps 100 events a channel: half of that leaves room to find each of them twice.
const EVENTS_PER_CHANNEL = 50;

/** The pause after a refused event: an overloaded source requires one. */
const REFUSED_MS = 100;

/**
 * Post events over this many connections until stopped, and record each event with a 200 response. `pauseMs`: the pause
 * of a connection after each event.
 */
export async function sendEvents(
  url: string,
  sent: SentEvents,
  { connections, pauseMs = 0, until }: Traffic,
): Promise<void> {
  const client = async () => {
    while (!until.aborted) {
      const isAcknowledged = await send(url, sent);
      if (!isAcknowledged || pauseMs > 0) await wait(isAcknowledged ? pauseMs : REFUSED_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

type Traffic = { connections: number; pauseMs?: number | undefined; until: AbortSignal };

/** Send one event. Returns whether it was acknowledged. */
async function send(url: string, sent: SentEvents): Promise<boolean> {
  const event = sent.next();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    // The status is the acknowledgment, whether or not the rest of the response follows.
    if (response.status === 200) sent.acknowledged.add(event.id);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // Killed before its response: nothing is acknowledged. The port refuses connections until the next start.
    return false;
  }
}

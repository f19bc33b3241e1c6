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

/** Post events over this many connections until stopped, and record each event with a 200 response. */
export async function sendEvents(
  url: string,
  ledger: SentEvents,
  { connections, until }: { connections: number; until: AbortSignal },
): Promise<void> {
  const client = async () => {
    while (!until.aborted) await send(url, ledger, until);
  };
  await Promise.all(Array.from({ length: connections }, client));
}

async function send(url: string, ledger: SentEvents, until: AbortSignal): Promise<void> {
  const event = ledger.next();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    // The status is the acknowledgment, whether or not the rest of the response follows.
    if (response.status === 200) ledger.acknowledged.add(event.id);
    await response.arrayBuffer();
  } catch {
    // Killed before its response: nothing is acknowledged. The port refuses connections until the next start.
    if (!until.aborted) await new Promise((done) => setTimeout(done, 5));
  }
}

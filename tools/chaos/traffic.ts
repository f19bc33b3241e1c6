/** Events that were sent to one source, and which of them it acknowledged. */
export class SentEvents {
  readonly acknowledged = new Set<string>();
  readonly channels = new Set<string>();
  readonly #name: string;
  #sent = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** The body of an event that was never sent before. */
  next(): { id: string; channel: string } {
    const number = this.#sent++;
    const channel = `channel-${Math.floor(number / EVENTS_PER_CHANNEL)}`;
    this.channels.add(channel);
    return { id: `${this.#name}-${number}`, channel };
  }
}

// History keeps 100 events a channel: half of that leaves room to find each of them twice.
const EVENTS_PER_CHANNEL = 50;

/** Post events over so many connections until stopped, and note each that is answered with 200. */
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
    // The promise is made once the status is here, whether or not the rest of the answer follows.
    if (response.status === 200) ledger.acknowledged.add(event.id);
    await response.arrayBuffer();
  } catch {
    // Killed before it answered: it owes nothing. Nobody answers until the next start.
    if (!until.aborted) await new Promise((done) => setTimeout(done, 5));
  }
}

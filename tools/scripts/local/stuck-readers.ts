import type { Socket } from "node:net";

/** The time in which a client must take some of its response: until it does, the runtime keeps all of it in memory. */
const TAKES_WITHIN_MS = 60_000;

const LOOK_EVERY_MS = 2000;

/** The bytes that a client has taken, and since when it has taken no more. */
type Progress = { taken: number; sinceMs: number };

/** Maximum clients at one address that take nothing; of more, those that connected first are dropped. */
const MAX_AT_ONE_ADDRESS = 20;

/** Drops clients that do not read their responses. `isAddressShared`: behind a proxy all have one address. */
export class StuckReaders {
  readonly #clients = new Map<Socket, Progress>();

  readonly #mostAtOneAddress: number;

  constructor(isAddressShared: boolean) {
    this.#mostAtOneAddress = isAddressShared ? Infinity : MAX_AT_ONE_ADDRESS;
    setInterval(() => this.#look(Date.now()), LOOK_EVERY_MS).unref();
  }

  /** Watch a client until its connection closes. */
  watch(client: Socket): void {
    this.#clients.set(client, { taken: 0, sinceMs: Date.now() });
    client.on("close", () => this.#clients.delete(client));
  }

  #look(nowMs: number): void {
    const stuckAt = new Map<string, number>();
    // The newest first: they are kept.
    for (const [client, progress] of [...this.#clients].toReversed()) {
      if (!isStuck(client, progress)) {
        this.#clients.set(client, { taken: takenBy(client), sinceMs: nowMs });
        continue;
      }
      const address = client.remoteAddress ?? "";
      const others = stuckAt.get(address) ?? 0;
      stuckAt.set(address, others + 1);
      if (others >= this.#mostAtOneAddress || nowMs - progress.sinceMs >= TAKES_WITHIN_MS)
        client.destroy();
    }
  }
}

function isStuck(client: Socket, { taken }: Progress): boolean {
  return client.writableLength > 0 && takenBy(client) === taken;
}

/** Bytes that wait in this process are not taken yet. */
function takenBy({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

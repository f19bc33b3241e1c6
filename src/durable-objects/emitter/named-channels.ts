import { isNamedChannel, MAX_CHANNELS, tooManyChannels } from "#domain/channels.ts";
import { type Failure, newFailure } from "#domain/invocation.ts";

/** The named channels of an emitter: those on which it has events that readers see, or delayed ones. */
export class NamedChannels {
  readonly #sql: SqlStorage;
  // Cached, because each query scans all events. Undefined: unknown.
  #names: Set<string> | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The events without those on new channels beyond the maximum, and the failure that reports these. */
  admit<T>(
    events: readonly T[],
    channelOf: (event: T) => string | undefined,
  ): { admitted: T[]; failures: Failure[] } {
    const added = new Set<string>();
    const refused: string[] = [];
    const admitted = events.filter((event) => {
      const channel = channelOf(event) ?? "";
      if (!isNamedChannel(channel) || this.#has(channel) || added.has(channel)) return true;
      const hasRoom = this.#stored().size + added.size < MAX_CHANNELS;
      if (hasRoom) added.add(channel);
      else refused.push(channel);
      return hasRoom;
    });
    const isWhole = refused.length === 0;
    return {
      admitted,
      failures: isWhole ? [] : [newFailure("RangeError", tooManyChannels(refused))],
    };
  }

  /** Record that an event is stored on a channel. */
  add(channel: string): void {
    if (isNamedChannel(channel)) this.#names?.add(channel);
  }

  /** Read them again: events were hidden, or writes may be rolled back. */
  reset(): void {
    this.#names = undefined;
  }

  #has(channel: string): boolean {
    return this.#stored().has(channel);
  }

  #stored(): Set<string> {
    this.#names ??= new Set(
      this.#sql
        .exec<{ name: string }>(
          `SELECT DISTINCT coalesce(target, channel) AS name FROM events
           WHERE hidden = 0 AND (due_ms NOT NULL OR target IS NULL)`,
        )
        .toArray()
        .map(({ name }) => name)
        .filter(isNamedChannel),
    );
    return this.#names;
  }
}

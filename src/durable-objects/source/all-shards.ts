import { type Position, positionAt, positionOf } from "#domain/event-ids.ts";
import {
  type EventPage,
  type EventPart,
  type EventQuery,
  type EventRange,
  type EventSummary,
  HISTORY_LENGTH,
  mergedPart,
} from "#domain/events.ts";
import { shardOfPosition } from "#domain/source-shards.ts";
import { MAX_CALL_BYTES } from "#domain/wire-size.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";
import { idsInPage } from "#durable-objects/emitter/reader.ts";
import { copied } from "#durable-objects/shared/rpc-results.ts";

import type { RunCommitter } from "./run-committer.ts";
import type { EventWindow } from "./shard-contract.ts";
import type { Siblings } from "./siblings.ts";

type Deps = { history: EventHistory; committer: RunCommitter; siblings: Siblings };

/** The events of all shards of a source as one history, in the order of their positions. */
export class AllShards {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The beginning of a page of visible events, newest first: at most the last hundred of all shards that match. */
  async page(query: EventQuery): Promise<EventPage> {
    const { history, siblings } = this.#deps;
    if (!siblings.exist()) return history.reader.page(query);
    const window = await this.#window(query.channel);
    const part = await this.part(idsInPage(window, query), query.expand);
    return { ...part, totalCount: window.length };
  }

  /** The first of these events, as many as fit into one call, at least one, in their order; and the rest. */
  async part(ids: readonly string[], expand: boolean, maxBytes?: number): Promise<EventPart> {
    const { history, siblings } = this.#deps;
    const others = siblings.all();
    if (others.length === 0) return history.reader.part(ids, expand, maxBytes);
    const share = Math.floor(MAX_CALL_BYTES / (others.length + 1));
    const parts = await Promise.all(
      others.map((one) => copied(one.eventsAt([...ids], expand, share))),
    );
    return mergedPart(ids, [history.reader.part(ids, expand, share), ...parts]);
  }

  /**
   * The positions of the last hundred visible events of all shards. No shard emits an event before the newest of them
   * afterwards, so a reader that continues there misses none.
   */
  async #window(channel: string | undefined): Promise<Position[]> {
    const { history } = this.#deps;
    const nowMs = Date.now();
    let upTo = Math.max(positionAt(nowMs + 1) - 1, history.newest());
    let windows = await this.#windows(channel, upTo);
    const newest = Math.max(...windows.map((one) => one.newest));
    // The clock of a shard may be ahead.
    if (newest > upTo) {
      upTo = newest;
      windows = await this.#windows(channel, upTo);
    }
    history.advance(upTo);
    const all = [history.reader.window(channel, upTo), ...windows.map((one) => one.positions)];
    return all
      .flat()
      .toSorted((a, b) => b - a)
      .slice(0, HISTORY_LENGTH);
  }

  #windows(channel: string | undefined, upTo: Position): Promise<EventWindow[]> {
    const { siblings } = this.#deps;
    return Promise.all(siblings.all().map((one) => copied(one.window(channel, upTo))));
  }

  /** Send an event again, from the shard that has it. Null: readers see no such event. */
  async replay(id: string, requestId?: string): Promise<EventSummary | null> {
    const { siblings, history, committer } = this.#deps;
    const other = siblings.at(shardOfPosition(positionOf(id) ?? 0));
    const replayed = other && (await copied(other.replay(id, requestId)));
    if (replayed) return replayed;
    const position = committer.replay(id, requestId);
    return (position !== undefined && history.reader.summaries([position])[0]) || null;
  }

  /** Hide a range from every reader. */
  async hide(range: EventRange): Promise<void> {
    const { siblings, history } = this.#deps;
    history.hide(range);
    await Promise.all(siblings.all().map((one) => one.deleteEvents(range)));
  }
}

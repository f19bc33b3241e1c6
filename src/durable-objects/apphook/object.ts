import { DurableObject } from "cloudflare:workers";

import type { ProviderEvent } from "#domain/apphooks.ts";
import type { Delivery } from "#domain/deliveries.ts";
import { eventId } from "#domain/event-ids.ts";
import type { Id } from "#domain/ids.ts";
import { withTimeout } from "#domain/timeout.ts";
import { log } from "#telemetry/log.ts";

import type { ApphookControl, Progress } from "./contract.ts";

/** Maximum sources that receive the event in parallel, and in one turn of the object. */
const SOURCES_AT_ONCE = 100;
const SOURCES_A_TURN = 500;

/** Maximum time that the sender of an event waits until every source has it. */
const WAIT_MS = 2000;

/** Delay of the first retry; each further one is later. */
const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 300_000;

/** The time for which a source keeps received ids: a repeated id is the same event. */
const MEMORY_MS = 3 * 24 * 3600 * 1000;

/**
 * The progress through all sources. Those up to `after` have the event, except for the late ones, which had no room for
 * it; null: those are all.
 */
type Way = { after: string | null; late: Id<"source">[]; sources: number; failures: number };

type Kept = { event: ProviderEvent; receivedAtMs: number; requestId?: string };

const EVENT = "event";
const WAY = "way";

/** Delivers one event of a provider to many sources: it resumes after an interruption, and no source runs it twice. */
export class ApphookObject extends DurableObject<Env> implements ApphookControl {
  #delivering: Promise<void> | undefined;

  async accept(event: ProviderEvent, requestId?: string): Promise<Progress> {
    const { kv } = this.ctx.storage;
    if (!kv.get<Way>(WAY)) {
      this.ctx.storage.transactionSync(() => {
        const id = requestId === undefined ? {} : { requestId };
        kv.put<Kept>(EVENT, { event, receivedAtMs: Date.now(), ...id });
        this.#keep({ after: "", late: [], sources: 0, failures: 0 });
      });
      await this.ctx.storage.setAlarm(Date.now() + FIRST_RETRY_MS);
    }
    await withTimeout(this.#deliver(), WAIT_MS, () => undefined);
    return this.progress();
  }

  async progress(): Promise<Progress> {
    const way = this.ctx.storage.kv.get<Way>(WAY);
    return { sources: way?.sources ?? 0, isDone: !way || isOver(way) };
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const way = kv.get<Way>(WAY);
    if (!way) return;
    const kept = kv.get<Kept>(EVENT);
    const isTooLate = kept !== undefined && Date.now() - kept.receivedAtMs > MEMORY_MS;
    if (isTooLate) log("apphook_lost", { emitter_id: this.ctx.id.name, count: way.late.length });
    if (isTooLate || isOver(way)) await this.ctx.storage.deleteAll();
    else await this.#deliver();
  }

  #deliver(): Promise<void> {
    return (this.#delivering ??= this.#travel().finally(() => {
      this.#delivering = undefined;
    }));
  }

  /** Process one turn, and schedule the next. */
  async #travel(): Promise<void> {
    const { kv } = this.ctx.storage;
    const kept = kv.get<Kept>(EVENT);
    const way = kv.get<Way>(WAY);
    if (!kept || !way) return;
    try {
      const end = await this.#turn(kept, way);
      if (isOver(end)) kv.delete(EVENT);
      await this.ctx.storage.setAlarm(nextTurnMs(end, kept));
    } catch (error) {
      log("apphook_delayed", { emitter_id: this.ctx.id.name, error });
      await this.#again();
    }
  }

  async #turn(kept: Kept, way: Way): Promise<Way> {
    const { taken, late } = await this.#hand(kept, way.late.slice(0, SOURCES_A_TURN));
    const rest = way.late.slice(SOURCES_A_TURN);
    const failures = late.length > 0 ? way.failures + 1 : 0;
    let now = this.#keep({
      ...way,
      late: [...late, ...rest],
      sources: way.sources + taken,
      failures,
    });
    for (let handed = way.late.length; handed < SOURCES_A_TURN; handed += SOURCES_AT_ONCE) {
      if (now.after === null) break;
      now = this.#keep(await this.#pass(kept, now));
    }
    return now;
  }

  /** Deliver the event to the next sources. */
  async #pass(kept: Kept, way: Way): Promise<Way> {
    const after = way.after ?? "";
    const range = { after, limit: SOURCES_AT_ONCE };
    const { payload: _, ...event } = kept.event;
    const ids = await this.ctx.exports.Directory.sourcesHookedBy(event, range);
    const { taken, late } = await this.#hand(kept, ids);
    return {
      ...way,
      sources: way.sources + taken,
      late: [...way.late, ...late],
      after: ids.length < SOURCES_AT_ONCE ? null : (ids.at(-1) ?? null),
    };
  }

  /** Resolves to the number of sources that have stored the event, and to those that have not. */
  async #hand(kept: Kept, ids: readonly Id<"source">[]) {
    const delivery = deliveryOf(kept, this.ctx.id.name ?? "");
    const receipts = await Promise.all(
      ids.map(async (id) => ({ id, isTaken: await this.#isTakenBy(id, delivery) })),
    );
    const late = receipts.filter(({ isTaken }) => !isTaken).map(({ id }) => id);
    return { taken: ids.length - late.length, late };
  }

  async #isTakenBy(id: Id<"source">, delivery: Delivery): Promise<boolean> {
    try {
      return await this.env.SOURCES.getByName(id).receive([delivery]);
    } catch (error) {
      log("listener_failed", { emitter_id: this.ctx.id.name, listener_id: id, error });
      return false;
    }
  }

  async #again(): Promise<void> {
    const way = this.ctx.storage.kv.get<Way>(WAY);
    if (!way) return;
    const { failures } = this.#keep({ ...way, failures: way.failures + 1 });
    await this.ctx.storage.setAlarm(Date.now() + retryMs(failures));
  }

  #keep(way: Way): Way {
    this.ctx.storage.kv.put(WAY, way);
    return way;
  }
}

function isOver({ after, late }: Way): boolean {
  return after === null && late.length === 0;
}

function nextTurnMs(way: Way, { receivedAtMs }: Kept): number {
  if (isOver(way)) return receivedAtMs + MEMORY_MS;
  return Date.now() + (way.after === null || way.failures > 0 ? retryMs(way.failures) : 0);
}

function retryMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
}

/** The delivery to sources, which dedupe it by emitter and position. */
function deliveryOf({ event, receivedAtMs, requestId }: Kept, name: string): Delivery {
  const position = receivedAtMs * 1000;
  return {
    position,
    eventId: eventId(position),
    emitId: name,
    emitterId: name,
    channel: "",
    payload: event.payload,
    hops: 0,
    ...(requestId !== undefined && { requestId }),
  };
}

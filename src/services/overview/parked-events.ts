import { parkingSources, type ParkingSource } from "#db/parked-events.ts";
import { ERROR_CHANNEL } from "#domain/channels.ts";
import type { EventSummary } from "#domain/events.ts";
import type { Id } from "#domain/ids.ts";
import { isJsonObject, valueOf } from "#domain/json.ts";
import { isParking } from "#domain/parked-events.ts";

import { requireMember } from "../access.ts";
import type { AppContext, Context } from "../context.ts";

/** Maximum sources that are queried, and maximum errors of each. */
const MAX_SOURCES = 50;
const MAX_ERRORS = 100;

const MAX_LISTED = 100;

/** Alerts are kept for the same time after they end. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** An event that is not run again, from its source's record in `$errors`. */
export type ParkedEvent = {
  /** Id of the record. */
  id: string;
  source: ParkingSource;
  atMs: number;
  code: string;
  message: string;
};

type Needed = Pick<AppContext, "db" | "now" | "sources">;

/** The parked events of a workspace, or of all that the actor may see, newest first. */
export async function listParkedEvents(
  ctx: Needed & Pick<Context, "actor" | "workspace">,
  workspace: Id<"workspace"> | undefined,
): Promise<ParkedEvent[]> {
  if (workspace !== undefined) await requireMember(ctx, workspace);
  return parkedEventsOf(
    ctx,
    workspace === undefined ? { user: ctx.actor.id } : { owner: workspace },
  );
}

/** The parked events of all owners, newest first, for the operator. */
export function listAllParkedEvents(ctx: Needed): Promise<ParkedEvent[]> {
  return parkedEventsOf(ctx, undefined);
}

async function parkedEventsOf(
  ctx: Needed,
  whose: Parameters<typeof parkingSources>[1],
): Promise<ParkedEvent[]> {
  const sinceMs = ctx.now() * 1000 - RETENTION_MS;
  const sources = await parkingSources(ctx.db, whose, { sinceMs, limit: MAX_SOURCES });
  const found = await Promise.all(sources.map((source) => parkedBy(ctx, source)));
  return found
    .flat()
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, MAX_LISTED);
}

async function parkedBy({ sources }: Needed, source: ParkingSource): Promise<ParkedEvent[]> {
  const query = { limit: MAX_ERRORS, channel: ERROR_CHANNEL, expand: false };
  const { events } = await sources(source.id).events(query);
  return events.flatMap((event) => parkedIn(event, source));
}

function parkedIn(
  { id, indexedAtMs, payload }: EventSummary,
  source: ParkingSource,
): ParkedEvent[] {
  const record = valueOf(payload);
  const error = isJsonObject(record) ? record["error"] : undefined;
  if (error === undefined || !isJsonObject(error)) return [];
  const { code, message } = error;
  if (typeof code !== "string" || typeof message !== "string" || !isParking(code)) return [];
  return [{ id, source, atMs: indexedAtMs, code, message }];
}

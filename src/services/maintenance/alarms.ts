import { KEPT_KINDS, type KeptKind, listedAfter } from "#db/backup.ts";
import { DAY_SECONDS } from "#domain/billing.ts";
import { isId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import { runPage } from "./paged-task.ts";

/** Maximum objects that one sweep checks: of a million objects, each is checked every three days. */
const OBJECTS_A_SWEEP = 250;

const AT_ONCE = 25;

/**
 * Restore missing alarms of objects. The runtime drops an alarm after six failures, and with it timers, retries, and
 * unreported usage: an object that nobody calls would never wake again.
 */
export function keepAlarms(ctx: AppContext): Promise<number> {
  return runPage(ctx, {
    name: "alarms",
    intervalSeconds: DAY_SECONDS,
    page: (position) => page(ctx, position),
  });
}

async function page(
  ctx: ObjectContext & Pick<AppContext, "db" | "requestId">,
  position: string,
): Promise<{ done: number; next: string | null }> {
  const [name, seq = "0"] = position.split(":");
  const kind = KEPT_KINDS.find((each) => each === name) ?? KEPT_KINDS[0];
  const rows = await listedAfter(ctx.db, kind, { after: Number(seq), limit: OBJECTS_A_SWEEP });
  let done = 0;
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const set = await Promise.all(some.map(({ id }) => keepAlarm(ctx, id)));
    done += set.filter(Boolean).length;
  }
  const last = rows.length === OBJECTS_A_SWEEP ? rows.at(-1)?.seq : undefined;
  return { done, next: last === undefined ? kindAfter(kind) : `${kind}:${last}` };
}

function kindAfter(kind: KeptKind): string | null {
  const next = KEPT_KINDS[KEPT_KINDS.indexOf(kind) + 1];
  return next === undefined ? null : `${next}:0`;
}

/** Whether an alarm was missing. An object that does not respond does not stop the check of others. */
async function keepAlarm(
  ctx: ObjectContext & Pick<AppContext, "requestId">,
  id: string,
): Promise<boolean> {
  try {
    return (await objectOf(ctx, id)?.keepAlarm()) ?? false;
  } catch (error) {
    log("alarm_unkept", { request_id: ctx.requestId, subject_id: id, error });
    return false;
  }
}

type ObjectContext = Pick<AppContext, "dataStores" | "sources" | "webhooks" | "workflows">;

function objectOf(ctx: ObjectContext, id: string) {
  if (isId("source", id)) return ctx.sources(id);
  if (isId("workflow", id)) return ctx.workflows(id);
  if (isId("webhook", id)) return ctx.webhooks(id);
  return isId("data_store", id) ? ctx.dataStores(id) : undefined;
}

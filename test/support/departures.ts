import { env } from "cloudflare:workers";

import { endDepartures } from "#services/connect/departures.ts";
import type { AppContext } from "#services/context.ts";
import { endUserDepartures } from "#services/user-departures.ts";

import { platformIn } from "./sweeping.ts";

/** Tables that keep a deleted user's usage: it was, and may have to be, billed. */
export const KEPT = new Set(["egress_usage", "owner_usage", "usage"]);

/** The number of rows of each table that contain a text in any column. */
export async function tracesOf(text: string): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  const traces: Record<string, number> = {};
  for (const { name } of results) {
    const { results: columns } = await env.DB.prepare(
      `SELECT name FROM pragma_table_info('${name}')`,
    ).all<{ name: string }>();
    const where = columns.map((column) => `instr(CAST("${column.name}" AS TEXT), ?1) > 0`);
    const count = await env.DB.prepare(
      `SELECT count(*) AS n FROM "${name}" WHERE ${where.join(" OR ")}`,
    )
      .bind(text)
      .first<number>("n");
    if (count) traces[name] = count;
  }
  return traces;
}

/** Sweep until no work of a user is pending. */
export async function sweepAway(user: string, ctx: AppContext = platformIn(700)): Promise<void> {
  const isThere = () => env.DB.prepare("SELECT 1 FROM users WHERE id = ?").bind(user).first();
  for (let swept = 0; swept < 6 && (await isThere()) !== null; swept += 1) {
    await endDepartures(ctx);
    await endUserDepartures(ctx);
  }
}

import { notFound } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { StatePage, StateQuery } from "#durable-objects/source/contract.ts";

import type { Context } from "../context.ts";
import { getSource } from "./read.ts";

export type { StatePage } from "#durable-objects/source/contract.ts";

/** The state of a source in `$.service.db`, and the next times of its timers. */
export async function getSourceState(
  ctx: Pick<Context, "actor" | "db" | "sources">,
  id: Id<"source">,
  query: StateQuery,
): Promise<StatePage> {
  await getSource(ctx, id);
  const state = await ctx.sources(id).state(query);
  if (!state) throw notFound("source", id);
  return state;
}

import { newestSources } from "#db/sources.ts";
import { newestWorkflows } from "#db/workflows.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, isId } from "#domain/ids.ts";
import { beforeMissing } from "#domain/stream-places.ts";

import type { Context, Followed } from "../context.ts";
import { checkPlace } from "../events.ts";
import { ownerOfKey } from "../keys.ts";
import { isSessionOpen } from "../sessions/sessions.ts";
import { getSource } from "../sources/read.ts";
import { workflowFor } from "../workflows/runs.ts";
import { MergedStream } from "./merged.ts";

/** Maximum sources, and maximum workflows, of one stream. */
const MAX_FOLLOWED = 100;

export type FollowAllQuery = {
  /** None: all resources of the actor. */
  emitters: readonly (Id<"source"> | Id<"workflow">)[];
  channels: readonly string[];
  lastEventId?: string | undefined;
};

type Needed = Pick<
  Context,
  "actor" | "countStream" | "db" | "follow" | "inBackground" | "keyHash" | "now" | "requestId"
>;

/** Stream several sources and workflows as one, including those created while it is open. */
export async function followAll(ctx: Needed, query: FollowAllQuery): Promise<Response> {
  checkPlace(query);
  const { emitters, channels, lastEventId } = query;
  await Promise.all(emitters.map((id) => followedById(ctx, id)));
  const list = async () => {
    // A key may be revoked or a session end while the stream is open, and the actor may leave a workspace.
    if (!(await ownerOfKey(ctx, ctx.keyHash)) && !(await isSessionOpen(ctx, ctx.keyHash)))
      return undefined;
    return emitters.length > 0 ? accessible(ctx, emitters) : ownEmitters(ctx);
  };
  const open = (emitter: Followed, last: string | undefined) =>
    ctx.follow(ctx.keyHash, emitter, { channels, lastEventId: last, isPart: true });
  const count = () => ctx.countStream(ctx.keyHash);
  // Events of several emitters have no common order: some are repeated.
  const from = lastEventId === undefined ? undefined : beforeMissing(lastEventId);
  return new MergedStream({ list, open, count, lastEventId: from }).open();
}

async function accessible(
  ctx: Pick<Context, "actor" | "db">,
  ids: FollowAllQuery["emitters"],
): Promise<Followed[]> {
  const found = await Promise.all(ids.map((id) => followedById(ctx, id).catch(unlessGone)));
  return found.filter((one) => one !== undefined);
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
}

async function followedById(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"source"> | Id<"workflow">,
): Promise<Followed> {
  const { ownerId } = isId("source", id) ? await getSource(ctx, id) : await workflowFor(ctx, id);
  return { id, ownerId };
}

async function ownEmitters({ actor, db }: Pick<Context, "actor" | "db">): Promise<Followed[]> {
  const lists = await Promise.all([
    newestSources(db, actor.id, MAX_FOLLOWED),
    newestWorkflows(db, actor.id, MAX_FOLLOWED),
  ]);
  return lists.flat().map((id) => ({ id, ownerId: actor.id }));
}

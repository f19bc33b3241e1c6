import { externalUserById } from "#db/connect/external-users.ts";
import { isId } from "#domain/ids.ts";

import { stashedFile, type StoredStashFile } from "../actions/stash.ts";
import type { ProjectContext } from "./context.ts";

/** A file that an action stored for an external user of this environment, by the key in its result. */
export function downloadFile(ctx: ProjectContext, key: string): Promise<StoredStashFile> {
  const place = { project: ctx.project.id, environment: ctx.environment };
  return stashedFile(ctx, key, async (owner) => {
    if (!isId("external_user", owner)) return false;
    return (await externalUserById(ctx.db, place, owner)) !== undefined;
  });
}

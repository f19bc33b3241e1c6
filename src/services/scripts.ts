import { scriptsInUse } from "#db/code-uses.ts";
import { RequestError } from "#domain/errors.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { ScriptLabels } from "#sandbox/script.ts";

import type { Component } from "./components.ts";
import type { AppContext } from "./context.ts";

/** Maximum scripts that one sweep checks. */
const SCRIPTS_A_SWEEP = 100;

/** The label of a component's script. */
export function labelsOf({
  id,
  key,
  version,
}: Pick<Component, "id" | "key" | "version">): ScriptLabels {
  return { component: key ?? id, version };
}

/**
 * Prepare a component's code at the place where it will run, before anything relies on it. Refuses if the script of a
 * component cannot be created: nothing is deployed that cannot run.
 */
export async function provideScript(
  ctx: Pick<AppContext, "scripts">,
  owner: OwnerId,
  { bundleHash, labels }: { bundleHash: string; labels?: ScriptLabels | undefined },
): Promise<void> {
  if (!ctx.scripts) return;
  const home = await ctx.scripts.provide({ owner, bundleHash, labels });
  if (home.kind !== "failed") return;
  const retry_after_seconds = Math.max(1, Math.ceil(home.retryAfterMs / 1000));
  throw new RequestError(
    "upstream_failed",
    `The component could not be deployed; try again in ${retry_after_seconds} s: ${home.message}`,
    { retry_after_seconds },
  );
}

/** Delete scripts that no source and no workflow has used for a day. The next sweep retries a failure. */
export async function sweepScripts(ctx: Pick<AppContext, "db" | "scripts">): Promise<number> {
  if (!ctx.scripts) return 0;
  const scripts = await ctx.scripts.leastChecked(SCRIPTS_A_SWEEP);
  const used = await scriptsInUse(ctx.db, scripts);
  return ctx.scripts.settle(scripts.map(({ name }) => ({ name, isUsed: used.has(name) })));
}

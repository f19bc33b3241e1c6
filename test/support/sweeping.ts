import { env } from "cloudflare:workers";

import type { AppContext } from "#services/context.ts";
import { settleWorkflowCode, WORKFLOWS_A_SWEEP } from "#services/workflows/code.ts";
import { openContext } from "#worker/bindings.ts";

export const DAY = 24 * 60 * 60;

/** The platform after some seconds. */
export function platformIn(seconds: number): AppContext {
  const platform = openContext(env);
  return { ...platform, now: () => platform.now() + seconds };
}

/** Make a task of the sweep begin at a position. */
export async function beginWalk(name: string, position: string): Promise<void> {
  await env.DB.prepare("INSERT OR REPLACE INTO walks VALUES (?, ?, 0)").bind(name, position).run();
}

/** The cursor of a task; null: at its end. */
export async function positionOf(name: string): Promise<string | null> {
  return env.DB.prepare("SELECT position FROM walks WHERE name = ?").bind(name).first("position");
}

/** Sweep until these tasks are at their end. Returns the amount of work done. */
export async function runToTheEnd(
  part: () => Promise<number>,
  names: readonly string[],
): Promise<number> {
  for (const name of names) await beginWalk(name, "");
  let done = 0;
  do done += await part();
  while ((await Promise.all(names.map(positionOf))).some((position) => position !== null));
  return done;
}

/** Settle the code of workflows until none of another file is left either: one sweep handles a limited number. */
export async function settleAllWorkflows(): Promise<void> {
  for (let sweeps = 0; sweeps < 20; sweeps += 1)
    if ((await settleWorkflowCode(openContext(env))) < WORKFLOWS_A_SWEEP) return;
}

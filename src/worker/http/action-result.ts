import { z } from "@hono/zod-openapi";

import type { ActionResult } from "#services/actions/run.ts";

/** A log line or an error of a component. */
export const Observation = z
  .object({
    k: z.string(),
    ts: z.int(),
    msg: z.string().optional(),
    err: z.object({ name: z.string(), message: z.string(), stack: z.string() }).optional(),
  })
  .openapi("Observation");

/** The result of an action, as both APIs return it. */
export const ActionResultBody = z
  .object({
    exports: z.record(z.string(), z.any()),
    os: z.array(Observation),
    ret: z.any(),
    stash_id: z.string().optional(),
  })
  .openapi("ActionResult");

/** The requested stash: an id; a new one for true, "NEW" and an empty text; none for false. */
export const StashChoice = z
  .union([z.boolean(), z.string().max(100)])
  .nullish()
  .transform((given) => {
    if (given === null || given === undefined || given === false) return undefined;
    return given === true || given === "" || given === "NEW" ? "new" : given;
  })
  .openapi({ type: "string" });

export function presentResult({
  exports,
  returned,
  observations,
  stash,
}: ActionResult): z.input<typeof ActionResultBody> {
  const uploads = stash?.uploads.map(({ path, key, url }) => ({
    localPath: `/tmp/${path}`,
    s3Key: key,
    get_url: url,
  }));
  return {
    exports: { ...exports, ...(uploads && { $filestash_uploads: uploads }) },
    os: observations,
    ret: returned,
    ...(stash && { stash_id: stash.id }),
  };
}

/** Whether the action threw an error, which is the last of its observations. */
export function isFailedRun({ os }: Pick<z.input<typeof ActionResultBody>, "os">): boolean {
  return os.some(({ err }) => err !== undefined);
}

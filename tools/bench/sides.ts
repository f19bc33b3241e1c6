import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { withFolder } from "./targets.ts";

/** A platform in a comparison. */
export type Side = { name: string; platform: RunningPlatform };

/**
 * Run work against this checkout's platform and, if `base` is the folder of another checkout, against that one's, which
 * comes first. `variables` are further settings of `npm start` for both.
 */
export function withSides(
  base: string | undefined,
  work: (sides: Side[]) => Promise<void>,
  variables: Record<string, string> = {},
): Promise<void> {
  return withFolder(async (stateDir) => {
    const platform = await startPlatform({ stateDir: join(stateDir, "now"), variables });
    try {
      const now = { name: "now", platform };
      if (base === undefined) return await work([now]);
      const startBase = await starterOf(base);
      const basePlatform = await startBase({ stateDir: join(stateDir, "base"), variables });
      try {
        await work([{ name: "base", platform: basePlatform }, now]);
      } finally {
        await basePlatform.stop();
      }
    } finally {
      await platform.stop();
    }
  });
}

/** The function of another checkout that starts its platform. */
async function starterOf(checkout: string): Promise<typeof startPlatform> {
  const files = ["tools/scripts/platform.ts", "scripts/platform.ts"];
  const found = files.map((file) => resolve(checkout, file)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${checkout} is not a checkout of this repository`);
  const module: { startPlatform: typeof startPlatform } = await import(pathToFileURL(found).href);
  return module.startPlatform;
}

import { createHash } from "node:crypto";

import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "./compatibility.ts";
import { HARNESS } from "./harness.ts";

/** The arguments of the loader, and the version of our code that serves its isolates. */
export type LoaderEnv = Pick<Env, "LOADER" | "VERSION">;

let harnessHash: string | undefined;

/**
 * The name of a loader isolate. It holds everything beside `content` that decides how the isolate behaves, because a warm
 * isolate outlives a deployment: harness, compatibility date and flags, and by the version of our code also the
 * contract between both and the entry points that its requests arrive at.
 */
export function isolateName({ VERSION }: LoaderEnv, content: string): string {
  harnessHash ??= hashOf(JSON.stringify([COMPATIBILITY_DATE, COMPATIBILITY_FLAGS, HARNESS]));
  return [content, harnessHash, VERSION.id].join(":");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

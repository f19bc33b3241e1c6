import { createHash } from "node:crypto";

import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "./compatibility.ts";
import { HARNESS } from "./harness.ts";

/** The arguments of the loader, and the version of the platform's code for its isolates. */
export type LoaderEnv = Pick<Env, "LOADER" | "VERSION">;

let harnessHash: string | undefined;

/**
 * The name of a loader isolate. It contains everything beside `content` that determines its behaviour, because a warm
 * isolate outlives a deployment: harness, compatibility date and flags, and with the version of the platform's code
 * also the contract between both and the entrypoints that receive its requests.
 */
export function isolateName({ VERSION }: LoaderEnv, content: string): string {
  harnessHash ??= hashOf(JSON.stringify([COMPATIBILITY_DATE, COMPATIBILITY_FLAGS, HARNESS]));
  return [content, harnessHash, VERSION.id].join(":");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

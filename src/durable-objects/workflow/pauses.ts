import { createHmac, timingSafeEqual } from "node:crypto";

import type { Id } from "#domain/ids.ts";

/** The effect of a pause's URL on its run: resume or cancel it. */
type PauseAction = "resume" | "cancel";

/** A pause of a run: the one that follows the execution of this number. */
export type PauseKey = { runId: string; number: number; action: PauseAction };

/** The action that ends a pause. `request` is JSON text of the request for it. */
export type Resumption = { action: PauseAction; request: string };

const PATH = /^\/(resume|cancel)\/([0-9A-Za-z]+)\/([\w-]+)\/(\d{1,6})\/([\w-]+)$/;

/** This URL grants its holder the right to end a pause, and nothing else: it is signed with a secret of the run. */
export function pauseUrl(
  { origin, workflowId }: { origin: string; workflowId: Id<"workflow"> },
  key: PauseKey,
  secret: string,
): string {
  const token = workflowId.slice("p_".length);
  return `${origin}/${key.action}/${token}/${key.runId}/${key.number}/${signatureOf(key, secret)}`;
}

/** Parse the path of such a URL; undefined if it is none. Does not check the signature. */
export function pauseOf(
  pathname: string,
): { workflowId: Id<"workflow">; key: PauseKey; signature: string } | undefined {
  const [, action, token, runId, number, signature] = PATH.exec(pathname) ?? [];
  if (!token || !runId || !signature) return undefined;
  return {
    workflowId: `p_${token}`,
    key: { runId, number: Number(number), action: action === "cancel" ? "cancel" : "resume" },
    signature,
  };
}

/** Whether a URL was made for this pause of a run with this secret. */
export function isSigned(key: PauseKey, secret: string, signature: string): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(key, secret))];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The engine event that ends the pause after this execution. */
export function pauseEvent(number: number): string {
  return `pause-${number}`;
}

function signatureOf({ runId, number, action }: PauseKey, secret: string): string {
  return createHmac("sha256", secret).update(`${action}:${runId}:${number}`).digest("base64url");
}

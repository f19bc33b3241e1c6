import { WorkerEntrypoint } from "cloudflare:workers";

import type { Context } from "#services/context.ts";
import { createSource, type SourceInput } from "#services/sources/create.ts";
import { type SourceChange, updateSource } from "#services/sources/update.ts";
import { openContext } from "#worker/bindings.ts";

import { ORIGIN } from "./client.ts";

type Change = {
  user: Context["actor"];
  /** The source to change. Absent: a new one. */
  id?: `dc_${string}`;
  input: SourceInput & SourceChange;
};

/**
 * Changes sources as the API does, in requests that end with their callers: nothing keeps one alive, as in production
 * half a minute after a caller hung up.
 */
export class Unattended extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { user, id, input }: Change = await request.json();
    const context = { ...openContext(this.env, ORIGIN), actor: user, keyHash: "" };
    await (id ? updateSource(context, id, input) : createSource(context, input));
    return new Response();
  }
}

/** Begin a change of a source. Returns the function that hangs up on it, and fails if it was over by then. */
export function beginChange({ UNATTENDED }: { UNATTENDED: Fetcher }, change: Change) {
  const hangingUp = new AbortController();
  const init = { method: "POST", body: JSON.stringify(change), signal: hangingUp.signal };
  const ended = UNATTENDED.fetch("https://unattended", init).then(
    ({ status }) => `It ended with ${status}`,
    ({ name }) => name,
  );
  return async (): Promise<void> => {
    hangingUp.abort();
    const how = await ended;
    if (how !== "AbortError") throw new Error(how);
  };
}

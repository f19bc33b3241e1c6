import { connect } from "#db/client.ts";
import { emitterExists } from "#db/emitters.ts";
import type { Id } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";
import { openVault } from "#vault/vault.ts";

/** Maximum keys and ids that an isolate knows to be real. */
const MAX_KNOWN = 10_000;

/** Keys and ids that were found to be real: the oldest are forgotten, and found again. */
const known = new Set<string>();

/** An endpoint by its key, or a workflow with pauses, whose URLs have no key. */
type Named = { id: Id<"source"> | Id<"workflow">; key?: string | undefined };

/**
 * Whether the source or workflow that a URL names is real, so that its object may be called: objects of guessed names would
 * leave storage behind. Signed keys prove it; others are looked up, such as those from before keys were signed, or
 * whose master key was retired.
 */
export async function isReal({ id, key }: Named, env: Env): Promise<boolean> {
  const name = key ?? id;
  if (known.has(name)) return true;
  const hasProof = key !== undefined && (await isSigned(key, env));
  if (!hasProof && !(await exists(id, env))) return false;
  if (known.size >= MAX_KNOWN) known.delete(known.values().next().value ?? "");
  known.add(name);
  return true;
}

/** False without a valid master key too: then the platform serves no API, but endpoints. */
async function isSigned(key: string, env: Env): Promise<boolean> {
  try {
    return await openVault(env).isSignedEndpointKey(key);
  } catch {
    return false;
  }
}

/** While D1 fails, everything may exist: endpoints work without it. */
async function exists(id: Named["id"], env: Env): Promise<boolean> {
  try {
    return await emitterExists(connect(env.DB), id);
  } catch (error) {
    log("endpoint_lookup_failed", { emitter_id: id, error });
    return true;
  }
}

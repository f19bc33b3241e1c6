import { mapAtMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { withTimeout } from "#domain/timeout.ts";
import { log } from "#telemetry/log.ts";

/** The dependencies of a deployment, each with its probes: one, or one of each shard. */
export type Probes = Record<string, readonly (() => Promise<unknown>)[]>;

/** `failing`: it threw; `silent`: it timed out; `off`: the operator deployed without it. */
type ProbeResult = "ok" | "failing" | "silent" | typeof OFF;

/** The result of a probe for a dependency that the operator deployed without. */
export const OFF = "off";

export type Health = { healthy: boolean; checks: Record<string, ProbeResult> };

/** Maximum time of a binding to respond. */
const TIMEOUT_MS = 3000;

/** The time for which a result is cached. */
const FRESH_MS = 5000;

/** Maximum age of a cached result that is returned while a new check runs. */
const STALE_MS = 30_000;

/**
 * Run all probes, as many at a time as one invocation may have connections. A dependency has the first bad result of its
 * probes. The reason of a failure is logged, not returned.
 */
export async function healthOf(probes: Probes, timeoutMs = TIMEOUT_MS): Promise<Health> {
  const all = Object.entries(probes).flatMap(([name, own]) =>
    own.map((probe) => [name, probe] as const),
  );
  const results = await mapAtMost(MAX_CONNECTIONS, all, async ([name, probe]) => {
    const result = await timedResultOf(name, probe, timeoutMs);
    return [name, result] as const;
  });
  const checks: Health["checks"] = {};
  for (const [name, result] of results) if (isWell(checks[name] ?? "ok")) checks[name] = result;
  return { healthy: Object.values(checks).every(isWell), checks };
}

const isWell = (result: ProbeResult): boolean => result === "ok" || result === OFF;

/**
 * Caches the health of a deployment. The endpoint is public, and each check costs a call to every binding: one isolate
 * checks at most once in five seconds, except for requests before its first result.
 */
export class HealthMemory {
  #last: { health: Health; atMs: number } | undefined;
  #isChecking = false;

  /** The result of `check`, or a recent one. */
  async recall(check: () => Promise<Health>, nowMs: number): Promise<Health> {
    const last = this.#last;
    const lastsMs = this.#isChecking ? STALE_MS : FRESH_MS;
    if (last && nowMs - last.atMs < lastsMs) return last.health;
    this.#isChecking = true;
    try {
      // A promise belongs to the request that created it, so only its outcome is shared with others.
      const health = await check();
      this.#last = { health, atMs: nowMs };
      return health;
    } finally {
      this.#isChecking = false;
    }
  }
}

async function timedResultOf(
  name: string,
  probe: () => Promise<unknown>,
  timeoutMs: number,
): Promise<ProbeResult> {
  try {
    return await withTimeout(resultOf(probe), timeoutMs, () => "silent" as const);
  } catch (error) {
    log("health_check_failed", { check: name, error });
    return "failing";
  }
}

async function resultOf(probe: () => Promise<unknown>): Promise<ProbeResult> {
  return (await probe()) === OFF ? OFF : "ok";
}

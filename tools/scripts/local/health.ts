import { setTimeout as wait } from "node:timers/promises";

/** The pause between two checks. */
const PAUSE_MS = 500;

/**
 * Wait until a platform is healthy. Right after its start, interrupted work and waiting clients may delay a dependency
 * beyond its time limit. Throws with the last report if it is not healthy within `withinMs`.
 */
export async function untilHealthy(url: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const health = await fetch(`${url}/health`);
    const report = await health.text();
    if (health.ok) return;
    if (performance.now() > deadline) throw new Error(`The platform is not healthy: ${report}`);
    await wait(PAUSE_MS);
  }
}

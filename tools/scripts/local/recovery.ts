import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { type LifecycleAddress, requestLifecycle } from "./lifecycle.ts";
import { log } from "./log.ts";

/** An object with unfinished work has an alarm within this time: a silent workflow run is checked within 5 minutes. */
const ALARM_WINDOW_MS = 300_000;

const MAX_CONCURRENT = 25;

/** The folders of the alarms of the objects that recover after a crash, by their binding. */
const CLASSES = {
  WEBHOOKS: "wellspring-WebhookObject",
  SOURCES: "wellspring-SourceObject",
  WORKFLOWS: "wellspring-WorkflowObject",
};

/** An object with an alarm. */
export type Interrupted = { binding: string; name: string };

/**
 * List the objects that may have had work in flight when the last process ended: their alarms are due soon. Call it
 * before the runtime starts, which then has the alarms to itself.
 */
export function interruptedObjects(stateDir: string, nowMs: number): Interrupted[] {
  return Object.entries(CLASSES).flatMap(([binding, folder]) => {
    const file = join(stateDir, "v3/do", folder, "metadata.sqlite");
    return existsSync(file)
      ? namesIn(file, nowMs + ALARM_WINDOW_MS).map((name) => ({ binding, name }))
      : [];
  });
}

function namesIn(file: string, beforeMs: number): string[] {
  const alarms = new DatabaseSync(file);
  try {
    return alarms
      .prepare("SELECT actor_name FROM _cf_ALARM WHERE scheduled_time < ? ORDER BY scheduled_time")
      .all(BigInt(beforeMs) * 1_000_000n)
      .flatMap(({ actor_name: name }) => (typeof name === "string" ? [name] : []));
  } catch {
    // An earlier release of the runtime stored no names: then each object waits for its alarm.
    return [];
  } finally {
    alarms.close();
  }
}

/** Make objects resume their work now: the alarm of an interrupted one may be minutes away. */
export async function recover(
  address: LifecycleAddress,
  objects: readonly Interrupted[],
): Promise<void> {
  for (let from = 0; from < objects.length; from += MAX_CONCURRENT) {
    const some = objects.slice(from, from + MAX_CONCURRENT);
    await Promise.all(some.map((object) => recoverOne(address, object)));
  }
}

async function recoverOne(
  address: LifecycleAddress,
  { binding, name }: Interrupted,
): Promise<void> {
  try {
    const path = `/recover?${new URLSearchParams({ binding, name }).toString()}`;
    await requestLifecycle(address, path, { method: "POST" });
  } catch (error) {
    // Its alarm finds the work later.
    const message = `Recovery of ${name} failed`;
    log.line({ level: "error", event: "recovery_failed", message, error });
  }
}

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { ComponentFile, Network } from "../src/testing.ts";
import { bundleOf } from "./bundle.ts";
import { type Configured, configured, type GivenValues } from "./configured.ts";
import { serveNetwork } from "./network.ts";
import { type Runtime, startRuntime } from "./runtime.ts";

/** The common input of all runs. */
type Given = Pick<GivenValues, "props"> & {
  fetch?: Network;
  now?: Date | number | string;
  timeoutMs?: number;
};

const DEADLINE_MS = 60_000;

/** A component that is ready to run; `now`: epoch milliseconds. */
export type Session = {
  runtime: Runtime;
  component: Configured;
  map: string;
  nowMs: number;
  deadlineMs: number;
};

/** Call a function with a component in a runtime of its own, which ends with it. */
export async function withComponent<T>(
  file: ComponentFile,
  {
    fetch,
    now,
    timeoutMs: deadlineMs = DEADLINE_MS,
    ...given
  }: Given & Partial<Pick<GivenValues, "db">>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const nowMs = now === undefined ? undefined : timeOf(now);
  const { code, map } = await bundleOf(pathOf(file));
  const network = await serveNetwork(fetch);
  let runtime: Runtime | undefined;
  try {
    runtime = await startRuntime({ code, now: nowMs, testAddress: network.address, deadlineMs });
    const component = await configured(runtime, { ...given, deadlineMs }, map);
    const result = await work({ runtime, component, map, nowMs: nowMs ?? Date.now(), deadlineMs });
    const failure = network.failure();
    if (failure !== undefined) throw failure;
    return result;
  } finally {
    await runtime?.close();
    network.close();
  }
}

function pathOf(file: ComponentFile): string {
  const text = String(file);
  return text.startsWith("file:") ? fileURLToPath(text) : resolve(text);
}

function timeOf(now: Date | number | string): number {
  const ms = new Date(now).getTime();
  if (Number.isNaN(ms)) throw new TypeError(`now: must be a date, not ${String(now)}`);
  return ms;
}

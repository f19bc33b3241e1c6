import { env } from "cloudflare:workers";
import { vi } from "vitest";

import { COLUMNS } from "#telemetry/columns.ts";

export type Line = Record<string, unknown> & { level: string; event: string; message: string };

/** Run work with the log level set, objects included. */
export async function withLogLevel<T>(level: string, work: () => T | Promise<T>): Promise<T> {
  const before = env.LOG_LEVEL;
  env.LOG_LEVEL = level;
  try {
    return await work();
  } finally {
    env.LOG_LEVEL = before;
  }
}

/**
 * The log lines that some work writes, parsed; `lines` gets them as they come. A line that is not a JSON object fails
 * here.
 */
export async function linesOf(
  level: string,
  work: () => unknown,
  lines: Line[] = [],
): Promise<Line[]> {
  const keep = (text: unknown): void => void lines.push(JSON.parse(String(text)) as Line);
  const spies = (["debug", "log", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(keep),
  );
  try {
    await withLogLevel(level, async () => work());
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines;
}

/** The data points that some work writes to the platform's dataset, by their columns' names. */
export async function pointsOf(work: () => unknown): Promise<Record<string, unknown>[]> {
  const points: AnalyticsEngineDataPoint[] = [];
  const spy = vi
    .spyOn(env.METRICS, "writeDataPoint")
    .mockImplementation((point = {}) => void points.push(point));
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return points.map(named);
}

function named({ blobs = [], doubles = [] }: AnalyticsEngineDataPoint): Record<string, unknown> {
  const [kind, owner_id, ...words] = blobs;
  const [count, ...numbers] = doubles;
  const columns = COLUMNS[kind as keyof typeof COLUMNS];
  return {
    kind,
    owner_id,
    count,
    ...Object.fromEntries(columns.blobs.map((name, index) => [name, words[index]])),
    ...Object.fromEntries(columns.doubles.map((name, index) => [name, numbers[index]])),
  };
}

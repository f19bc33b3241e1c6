import { env } from "cloudflare:workers";
import { vi } from "vitest";

export type Line = Record<string, unknown> & { level: string; event: string; message: string };

/** Do something while lines of a level are written, objects included. */
export async function withLogLevel<T>(level: string, work: () => T | Promise<T>): Promise<T> {
  const before = env.LOG_LEVEL;
  env.LOG_LEVEL = level;
  try {
    return await work();
  } finally {
    env.LOG_LEVEL = before;
  }
}

/** The lines of the log that something writes, parsed. A line that is no JSON object fails here. */
export async function linesOf(level: string, work: () => unknown): Promise<Line[]> {
  const lines: Line[] = [];
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

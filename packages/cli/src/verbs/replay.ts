import { misuse } from "../failure.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { counted, json, line } from "../terminal/output.ts";

type ReplayOptions = CommandOptions & { since: string; until?: string };

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Repeat the deliveries of a webhook within a span of time, or an event of a source. */
export async function replay(
  target: string,
  event: string | undefined,
  options: ReplayOptions,
): Promise<void> {
  if (event !== undefined) return replayEvent(target, event, options);
  if (!target.startsWith("wh_"))
    throw misuse(
      `replay takes the id of a webhook, or a source and the id of an event, not ${target}`,
      "run `wellspring list webhooks`",
    );
  const { since, until } = options;
  const body = {
    from_ms: timeIn(since, "--since"),
    ...(until !== undefined && { to_ms: timeIn(until, "--until") }),
  };
  const api = await apiFor(options);
  const path = `/webhooks/${encodeURIComponent(target)}/replay`;
  const replayed = await api.data<{ count: number }>("POST", path, { body });
  if (options.json) return json(replayed);
  line(`Repeated ${counted(replayed.count, "delivery", "deliveries")}`);
}

async function replayEvent(given: string, event: string, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const { id, name } = await sourceNamed(api, given);
  const path = `/sources/${id}/events/${encodeURIComponent(event)}/replay`;
  const replayed = await api.data<{ id: string }>("POST", path);
  if (options.json) return json(replayed);
  line(`${name} emitted ${event} again`);
}

/** A date or a duration ago, in epoch milliseconds. */
function timeIn(text: string, option: string): number {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNITS[unit] ?? 0);
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw misuse(`${option} ${text} is not a time`, "write 30m, 2h, 1d or a date");
  return ms;
}

import { addressOf } from "./address.ts";
import { HTTP_INTERFACE, type PropDefinition, TIMER_INTERFACE } from "./definition.ts";
import { requestEvent } from "./http-event.ts";
import type { Json } from "./json.ts";
import { scheduleOf, tickEvent } from "./schedule.ts";

/** The input for the default event of a manual run. */
type Woken = {
  props: readonly PropDefinition[];
  configuredProps: Record<string, Json>;
  /** URL by the name of each HTTP interface prop. */
  urls: Record<string, string>;
};

/**
 * The default event of a manual run (docs/contract.md: Manual runs): a tick of the timer if the source has one, else a
 * bare request to its endpoint, else an empty object.
 */
export function eventOfManualRun({ props, configuredProps, urls }: Woken, nowMs: number): Json {
  const timers = props.filter(({ type }) => type === TIMER_INTERFACE);
  const [schedule] = timers.flatMap(({ name }) => scheduleOf(configuredProps[name]) ?? []);
  if (schedule) return tickEvent(schedule, nowMs);
  const http = props.find(({ type }) => type === HTTP_INTERFACE);
  const url = http && urls[http.name];
  if (url === undefined) return {};
  return requestEvent({ method: "GET", url: addressOf(url), path: "/", headers: {}, clientIp: "" });
}

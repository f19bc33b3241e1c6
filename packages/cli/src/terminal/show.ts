import type { EventSummary } from "../wire.ts";
import { EventFormatter } from "./events.ts";
import { json, line } from "./output.ts";

/** The function that writes events: each as one line of JSON, or for people. */
export function show(options: { json?: boolean }): (event: EventSummary) => void {
  const formatter = new EventFormatter();
  return (event) => {
    if (options.json) return json(event, true);
    for (const text of formatter.format(event)) line(text);
  };
}

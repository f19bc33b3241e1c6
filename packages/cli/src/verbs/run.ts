import { existsSync } from "node:fs";

import type { Api } from "../api.ts";
import { chosen } from "../component/choice.ts";
import { configure } from "../component/configure.ts";
import type { ActionResult } from "../dev/action.ts";
import { Failure, misuse } from "../failure.ts";
import { jsonIn } from "../json-file.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { findSource } from "../sources.ts";
import { linesOf } from "../terminal/events.ts";
import { counted, json, line } from "../terminal/output.ts";
import { during } from "../terminal/progress.ts";
import type { EventSummary, LogLine } from "../wire.ts";
import { componentOf } from "./deploy.ts";

type RunOptions = CommandOptions & { event?: string; prop?: string[] };

type Run = {
  run_id: string;
  state: "accepted" | "running" | "finished" | "failed";
  events?: EventSummary[];
  logs?: LogLine[];
  errors?: { code: string; message: string }[];
};

const WAIT_SECONDS = 30;

/** Run a source now, or an action: a file, a URL, an id or a key that is not the name of a source. */
export async function run(given: string, options: RunOptions): Promise<void> {
  const api = await apiFor(options);
  const isComponent = existsSync(given) || /^(?:https?:\/\/|sc_)/.test(given);
  const source = isComponent ? undefined : await findSource(api, given);
  return source ? runSource(api, source.id, options) : runAction(api, given, options);
}

async function runSource(api: Api, id: string, options: RunOptions): Promise<void> {
  const event = options.event === undefined ? {} : { event: await jsonIn(options.event) };
  const body = { ...event, wait: WAIT_SECONDS };
  const result = await during("Running the source", () =>
    api.data<Run>("POST", `/sources/${id}/run`, { body }),
  );
  if (options.json) json(result);
  else showRun(result);
  if (result.state === "failed") throw new Failure(`The run ${result.run_id} failed`);
}

function showRun({ state, events = [], logs = [], errors = [], run_id }: Run): void {
  for (const { level, message } of logs) line(`${level}  ${message}`);
  for (const { code, message } of errors) line(`error  ${code}: ${message}`);
  for (const event of events) for (const text of linesOf(event)) line(text);
  line(`${run_id} ${state}, ${counted(events.length, "event")}`);
}

async function runAction(api: Api, given: string, options: RunOptions): Promise<void> {
  if (options.event !== undefined) throw misuse("--event is for sources", "give an action --prop");
  const component = await during("Building the action", async () =>
    componentOf(api, await chosen(given)),
  );
  if (component.component_type === "source")
    throw misuse(`${given} is a source`, `deploy it first: wellspring deploy ${given}`);
  const values = await configure(api, component, options.prop ?? []);
  const body = { component_id: component.id, configured_props: values };
  const result = await during("Running the action", () =>
    api.data<ActionResult>("POST", "/actions/run", { body }),
  );
  const error = result.os.find(({ err }) => err)?.err;
  if (options.json) json(result);
  else showAction(result);
  if (error) throw new Failure(`The action failed: ${error.name}: ${error.message}`);
}

function showAction({ os, exports, ret }: ActionResult): void {
  for (const { k, msg, err } of os) if (!err) line(`${k}  ${msg ?? ""}`);
  for (const [name, value] of Object.entries(exports)) line(`${name}  ${JSON.stringify(value)}`);
  line(`returned  ${JSON.stringify(ret) ?? "nothing"}`);
}

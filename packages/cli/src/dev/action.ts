import type { Api } from "../api.ts";
import { choiceOf } from "../component/choice.ts";
import type { ComponentFiles } from "../component/files.ts";
import type { Values } from "../component/values.ts";
import { Failure } from "../failure.ts";
import type { Component } from "../wire.ts";
import { onKeys } from "./keys.ts";
import type { Reporter } from "./reporter.ts";
import { ComponentWatcher } from "./watcher.ts";

/** The result of an action. */
export type ActionResult = {
  exports: Record<string, unknown>;
  os: { k: string; ts: number; msg?: string; err?: { name: string; message: string } }[];
  ret: unknown;
};

type Deps = {
  api: Api;
  path: string;
  reporter: Reporter;
  onEnd: (end: () => void) => void;
};

type Deployed = { component: Component; files: ComponentFiles; values: Values };

/** Develop an action: run it now, on each save, and on each press of `r`. */
export async function runAction(
  { api, path, reporter, onEnd }: Deps,
  { component, files, values }: Deployed,
): Promise<void> {
  const state = { files, running: Promise.resolve() };
  const run = (): void => {
    state.running = state.running.then(() => runOnce(api, reporter, { ...state, values }));
  };
  const watcher = new ComponentWatcher(path, files, {
    onChange: (changed) => {
      state.files = changed;
      run();
    },
    onGone: () => reporter.gone(path),
  });
  reporter.note("ready", `${component.name}: runs on each save`, { component_id: component.id });
  run();
  await new Promise<void>((end) => {
    onEnd(end);
    const release = onKeys({ r: run, q: () => end() });
    onEnd(() => {
      release();
      end();
    });
  });
  watcher.close();
  await state.running;
}

async function runOnce(
  api: Api,
  reporter: Reporter,
  { files, values }: Omit<Deployed, "component">,
): Promise<void> {
  const sinceMs = Date.now();
  try {
    const body = { ...choiceOf(files), configured_props: values };
    const result = await api.data<ActionResult>("POST", "/actions/run", { body });
    for (const { k, msg, err } of result.os)
      if (err) reporter.problem("error", `${err.name}: ${err.message}`);
      else reporter.note("log", `${k} ${msg ?? ""}`, { level: k, message: msg });
    const ms = Date.now() - sinceMs;
    const { ret, exports } = result;
    const shown = JSON.stringify(ret) ?? "nothing";
    reporter.note("run", `returned ${shown} after ${ms} ms`, { ret, exports, ms });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    reporter.problem("run_failed", error.message, error.details);
  }
}

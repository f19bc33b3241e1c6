import { Api } from "../api.ts";
import { choiceOf } from "../component/choice.ts";
import { configure } from "../component/configure.ts";
import { type ComponentFiles, readComponent } from "../component/files.ts";
import { componentAt } from "../component/find.ts";
import { isLoopback } from "../connection.ts";
import { runAction } from "../dev/action.ts";
import { type Delivery, receive, type Receiver } from "../dev/receiver.ts";
import { Reporter } from "../dev/reporter.ts";
import { DevSession } from "../dev/session.ts";
import { DevSource } from "../dev/source.ts";
import { misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { ensurePlatform } from "../platform/ensure.ts";
import { endpointsOf } from "../sources.ts";
import { color, isInteractive } from "../terminal/output.ts";
import { during } from "../terminal/progress.ts";
import type { Component, Source } from "../wire.ts";

/** A signal within this time after the first is the same one, forwarded. */
const REPEAT_MS = 500;

const SILENCE =
  "A run has not yielded for 2 s: an endless loop? It is repeated alone, 3 times at most";

type DevOptions = CommandOptions & {
  prop?: string[];
  forward?: string;
  name?: string;
  port?: number;
};

/** Develop a component: deploy it, show its activity, and redeploy it on each save, until the command ends. */
export async function dev(given: string | undefined, options: DevOptions): Promise<void> {
  const path = await componentAt(given ?? ".");
  const files = await readComponent(path);
  const { connection, stop, onSilence } = await ensurePlatform(options);
  const end = endings();
  try {
    const api = new Api(connection);
    const reporter = new Reporter(options.json ?? false);
    api.onWarning = (warning) => reporter.warning(warning);
    onSilence?.(() => reporter.warning(SILENCE));
    await develop({ api, path, options, reporter, onEnd: end.onEnd }, files);
  } finally {
    end.release();
    if (stop) await during("Ending the platform", stop);
  }
}

type Work = {
  api: Api;
  path: string;
  options: DevOptions;
  reporter: Reporter;
  onEnd: (end: () => void) => void;
};

async function develop({ api, path, options, reporter, onEnd }: Work, files: ComponentFiles) {
  const component = await during("Building the component", () =>
    api.data<Component>("POST", "/components", { body: choiceOf(files) }),
  );
  const given = options.prop ?? [];
  const values = await configure(api, component, given);
  if (component.component_type === "action")
    return runAction({ api, path, reporter, onEnd }, { component, files, values });
  const name = options.name ?? `dev-${component.name}`;
  await DevSource.endInterrupted(api);
  const deployed = await during("Deploying the source", () =>
    DevSource.deploy(api, files, { path, name, values }),
  );
  reporter.files = files.files;
  const receiver = await receiverFor(api, options, (delivery) => reporter.delivery(delivery));
  const again = async (changed: ComponentFiles) => {
    const body = choiceOf(changed);
    return configure(
      api,
      await api.data<Component>("POST", "/components", { body }),
      given,
      values,
    );
  };
  const session = new DevSession({ api, path, dev: deployed, reporter, configure: again });
  onEnd(() => session.end());
  try {
    if (receiver) await deployed.deliverTo(receiver);
    await session.run(files, () => ready(reporter, api, deployed.source));
  } finally {
    receiver?.close();
    await during("Ending the source", () => deployed.end());
  }
}

/** The receiver of deliveries to forward. A platform elsewhere cannot reach this machine. */
async function receiverFor(
  { url }: Api,
  { forward }: DevOptions,
  onDelivery: (delivery: Delivery) => void,
): Promise<Receiver | undefined> {
  if (forward === undefined) return undefined;
  if (isLoopback(url)) return receive(forward, onDelivery);
  throw misuse(
    `--forward needs a platform on this machine, and ${url} is elsewhere`,
    "subscribe a webhook that it can reach",
  );
}

function ready(reporter: Reporter, { url }: Api, source: Source): void {
  const endpoints = endpointsOf(source);
  const keys = "r run again · e last event as JSON · o console · q quit";
  reporter.head([
    "",
    `${color.bold(source.name)}  ${source.id}  ${url}`,
    ...endpoints.flatMap((endpoint) => [
      `endpoint  ${color.cyan(endpoint)}`,
      `try       curl -H 'content-type: application/json' -d '{"id": 1}' ${endpoint}`,
    ]),
    ...(isInteractive() ? [color.dim(keys)] : []),
    "",
  ]);
  reporter.note("ready", "waiting for events", { source_id: source.id, url, endpoints });
}

/**
 * Make a signal end the command gracefully: a second one ends it at once. A closed terminal may hang up more than once
 * (main.ts), which is no second decision.
 */
function endings() {
  let end: (() => void) | undefined;
  let beganMs: number | undefined;
  const signalled = (signal: NodeJS.Signals): void => {
    const isRepeated = beganMs !== undefined && Date.now() - beganMs > REPEAT_MS;
    if (!end || (isRepeated && signal !== "SIGHUP")) process.exit(130);
    beganMs ??= Date.now();
    end();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, signalled);
  return {
    onEnd: (call: () => void) => {
      end = call;
    },
    release: () => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, signalled);
    },
  };
}

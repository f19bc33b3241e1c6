import { Command } from "commander";

import manifest from "../package.json" with { type: "json" };
import { collect } from "./component/values.ts";
import { count } from "./count.ts";
import { accounts, apps, registry, workflows } from "./groups.ts";

const PATH_URL_KEY = "file of a component, its URL, or a key of the registry";
const SOURCE = "id, name or name slug of a source";
const PROP = "value of a prop; repeat it for several";

/** The commands. The code of each is loaded when it runs: `list` must not wait for the modules of `dev`. */
export function program(): Command {
  const root = new Command("wellspring")
    .description("Develop, deploy and observe components of Wellspring.")
    .version(manifest.version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .option("--url <url>", "the platform; else WELLSPRING_URL, `login`, or the one on this machine")
    .option("--api-key <key>", "its API key; else WELLSPRING_API_KEY, `login`, or the local one")
    .option("--profile <name>", "the platform that `login --profile` stored under a name")
    .option("--json", "write JSON");
  develop(root);
  connections(root);
  sources(root);
  observe(root);
  act(root);
  workflows(root.command("workflows").description("Deploy and run workflows"));
  accounts(root.command("accounts").description("Connect accounts and list them"));
  apps(root.command("apps").description("Set up apps, as an operator"));
  registry(root.command("registry").description("Publish components and find them"));
  return root;
}

function examples(...commands: string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ wellspring ${command}`).join("\n")}`;
}

function develop(root: Command): void {
  root
    .command("dev")
    .argument("[path]", "file of a component, or its folder; else the one of this folder")
    .description("Develop a component: deploy it, show its activity, redeploy it on each save")
    .option("-p, --prop <name=value>", PROP, collect)
    .option("-f, --forward <url>", "forward deliveries to this URL")
    .option("-n, --name <name>", "name of the source")
    .option(
      "--port <port>",
      "port of the platform that it starts; else PORT, or 8787 if it is free",
      count,
    )
    .addHelpText(
      "after",
      examples("dev orders.js", "dev -p greeting=Hello -f http://127.0.0.1:3000/hook"),
    )
    .action(async (path, _, command) =>
      (await import("./verbs/dev.ts")).dev(path, command.optsWithGlobals()),
    );
  root
    .command("init")
    .argument("<kind>", "source, action, app (a source that uses one) or workflow")
    .argument("[folder]", "folder to create it in", ".")
    .option("--typescript", "a component in TypeScript, with types and a test in the runtime")
    .description("Create a component with a test, or a workflow")
    .action(async (kind, folder, _, command) =>
      (await import("./verbs/init.ts")).init(kind, folder, command.optsWithGlobals()),
    );
  root
    .command("test")
    .argument(
      "[dir]",
      "folder of components, or a collection laid out <app>/{sources,actions}/…",
      ".",
    )
    .description(
      "Deploy and run every component of a folder on a platform of its own, with made-up values",
    )
    .action(async (dir, _, command) =>
      (await import("./verbs/test.ts")).test(dir, command.optsWithGlobals()),
    );
}

function connections(root: Command): void {
  root
    .command("login")
    .description("Store a platform's URL and an API key, for all commands or those of a --profile")
    .addHelpText("after", examples("login", "login --profile staging", "list --profile staging"))
    .action(async (_, command) =>
      (await import("./verbs/login.ts")).login(command.optsWithGlobals()),
    );
  root
    .command("open")
    .argument("[source]", SOURCE)
    .description("Open the platform, or a source, in the browser")
    .action(async (source, _, command) =>
      (await import("./verbs/open.ts")).open(source, command.optsWithGlobals()),
    );
}

function sources(root: Command): void {
  root
    .command("deploy")
    .argument("<component>", PATH_URL_KEY)
    .description("Deploy a source; one that has the --name already is changed")
    .option("-p, --prop <name=value>", PROP, collect)
    .option("-n, --name <name>", "name of the source")
    .option("--shards <count>", "the objects that share its HTTP events, at most 16", count)
    .addHelpText("after", examples("deploy orders.js --name shop", "deploy clock.js -p timer=60"))
    .action(async (component, _, command) =>
      (await import("./verbs/deploy.ts")).deploy(component, command.optsWithGlobals()),
    );
  root
    .command("list")
    .alias("ls")
    .argument("[kind]", "sources, workflows, webhooks, published or accounts", "sources")
    .description("List resources")
    .option("-l, --limit <count>", "at most so many", count, 100)
    .action(async (kind, _, command) =>
      (await import("./verbs/list.ts")).list(kind, command.optsWithGlobals()),
    );
  root
    .command("describe")
    .argument("<source>", SOURCE)
    .description("Show a source with its props, endpoints and listeners")
    .action(async (source, _, command) =>
      (await import("./verbs/describe.ts")).describe(source, command.optsWithGlobals()),
    );
  root
    .command("delete")
    .alias("rm")
    .argument("<source...>", `${SOURCE}, or id of a webhook`)
    .description("Delete sources and webhooks")
    .action(async (given, _, command) =>
      (await import("./verbs/delete.ts")).remove(given, command.optsWithGlobals()),
    );
  for (const [name, active] of [
    ["pause", false],
    ["resume", true],
  ] as const)
    root
      .command(name)
      .argument("<source>", SOURCE)
      .description(active ? "Activate a source" : "Deactivate a source")
      .action(async (source, _, command) =>
        (await import("./verbs/activate.ts")).activate(source, active, command.optsWithGlobals()),
      );
}

function observe(root: Command): void {
  root
    .command("events")
    .argument("<source>", SOURCE)
    .description("Show the events of a source")
    .option("-n, --count <count>", "the last so many", count, 10)
    .option("-f, --follow", "continue with new events")
    .option("-c, --channel <name>", "one channel")
    .addHelpText("after", examples("events shop -f", "events shop -c '$logs' -n 50"))
    .action(async (source, _, command) =>
      (await import("./verbs/events.ts")).events(source, command.optsWithGlobals()),
    );
  root
    .command("logs")
    .argument("[source]", `${SOURCE}; default: all`)
    .description("Show runs, log lines and errors")
    .option("-n, --count <count>", "the last so many", count, 20)
    .option("-f, --follow", "continue with new activity")
    .action(async (source, _, command) =>
      (await import("./verbs/logs.ts")).logs(source, command.optsWithGlobals()),
    );
}

function act(root: Command): void {
  root
    .command("run")
    .argument("<target>", `${SOURCE}, or an action: ${PATH_URL_KEY}`)
    .description("Run a source or an action now")
    .option("-e, --event <file>", "JSON of the event; - reads it from stdin")
    .option("-p, --prop <name=value>", PROP, collect)
    .addHelpText("after", examples("run shop --event event.json", "run greet.js -p who=Ada"))
    .action(async (target, _, command) =>
      (await import("./verbs/run.ts")).run(target, command.optsWithGlobals()),
    );
  root
    .command("subscribe")
    .argument("<source>", SOURCE)
    .argument("<url>", "URL of the receiver")
    .description("Deliver the events of a source to a URL")
    .option("-c, --channel <name>", "only those of one channel")
    .option("-n, --name <name>", "name of the webhook")
    .action(async (source, url, _, command) =>
      (await import("./verbs/subscribe.ts")).subscribe(source, url, command.optsWithGlobals()),
    );
  root
    .command("unsubscribe")
    .argument("<source>", SOURCE)
    .argument("<receiver>", "URL of the receiver, or id of a webhook")
    .description("End the deliveries of a source to a URL")
    .option("-c, --channel <name>", "only those of one channel")
    .action(async (source, receiver, _, command) =>
      (await import("./verbs/unsubscribe.ts")).unsubscribe(
        source,
        receiver,
        command.optsWithGlobals(),
      ),
    );
  root
    .command("replay")
    .argument("<target>", `id of a webhook; or ${SOURCE}, with an event`)
    .argument("[event]", "id of an event of the source, as `events --json` shows it")
    .description("Repeat the deliveries of a webhook, or one event of a source")
    .option("-s, --since <time>", "from this time on, such as 1h or 2026-01-31T12:00:00Z", "1h")
    .option("-u, --until <time>", "up to this time")
    .addHelpText("after", examples("replay wh_1a2b --since 2h", "replay shop 1764280000000-0"))
    .action(async (target, event, _, command) =>
      (await import("./verbs/replay.ts")).replay(target, event, command.optsWithGlobals()),
    );
}

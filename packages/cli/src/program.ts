import { Command, InvalidArgumentError } from "commander";

import manifest from "../package.json" with { type: "json" };
import { collect } from "./component/values.ts";

const PATH_URL_KEY = "file of a component, its URL, or a key of the registry";
const SOURCE = "id, name or name slug of a source";
const PROP = "value of a prop; repeat it for several";

/** The commands. What each does is loaded when it is called: listing must not wait for what watching needs. */
export function program(): Command {
  const root = new Command("wellspring")
    .description("Develop, deploy and observe components of Wellspring.")
    .version(manifest.version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .option("--url <url>", "the platform; else WELLSPRING_URL, `login`, or the one on this machine")
    .option("--api-key <key>", "its API key; else WELLSPRING_API_KEY, `login`, or the local one")
    .option("--json", "write JSON");
  develop(root);
  sources(root);
  observe(root);
  workflows(root.command("workflows").description("Deploy and run workflows"));
  accounts(root.command("accounts").description("Connect accounts and list them"));
  registry(root.command("registry").description("Publish components and find them"));
  return root;
}

function develop(root: Command): void {
  root
    .command("dev")
    .argument("[path]", "file of a component; else the one of this folder")
    .description("Run a component here: deploy it, show what happens, redeploy it on each save")
    .option("-p, --prop <name=value>", PROP, collect)
    .option("-f, --forward <url>", "pass deliveries on to this URL")
    .option("-n, --name <name>", "name of the source")
    .action(async (path, _, command) =>
      (await import("./verbs/dev.ts")).dev(path, command.optsWithGlobals()),
    );
  root
    .command("init")
    .argument("<kind>", "source, action or workflow")
    .argument("[folder]", "where to make it", ".")
    .description("Make a component or a workflow, with types and a test")
    .action(async (kind, folder, _, command) =>
      (await import("./verbs/init.ts")).init(kind, folder, command.optsWithGlobals()),
    );
  root
    .command("login")
    .description("Store a platform's URL and an API key, for all commands")
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
    .action(async (component, _, command) =>
      (await import("./verbs/deploy.ts")).deploy(component, command.optsWithGlobals()),
    );
  root
    .command("list")
    .alias("ls")
    .argument("[kind]", "sources, workflows, webhooks, published or accounts", "sources")
    .description("List what there is")
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
    .argument("<source...>", SOURCE)
    .description("Delete sources")
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
      .description(active ? "Switch a source on again" : "Switch a source off")
      .action(async (source, _, command) =>
        (await import("./verbs/activate.ts")).activate(source, active, command.optsWithGlobals()),
      );
}

function observe(root: Command): void {
  root
    .command("events")
    .argument("<source>", SOURCE)
    .description("Show what a source emitted")
    .option("-n, --count <count>", "the last so many", count, 10)
    .option("-f, --follow", "go on with what is emitted from now on")
    .option("-c, --channel <name>", "one channel")
    .action(async (source, _, command) =>
      (await import("./verbs/events.ts")).events(source, command.optsWithGlobals()),
    );
  root
    .command("logs")
    .argument("[source]", `${SOURCE}; all, where none is named`)
    .description("Show runs, log lines and errors")
    .option("-n, --count <count>", "the last so many", count, 20)
    .option("-f, --follow", "go on with what happens from now on")
    .action(async (source, _, command) =>
      (await import("./verbs/logs.ts")).logs(source, command.optsWithGlobals()),
    );
  root
    .command("run")
    .argument("<what>", `${SOURCE}, or an action: ${PATH_URL_KEY}`)
    .description("Run a source or an action now")
    .option("-e, --event <file>", "JSON of the event; - reads it from stdin")
    .option("-p, --prop <name=value>", PROP, collect)
    .action(async (what, _, command) =>
      (await import("./verbs/run.ts")).run(what, command.optsWithGlobals()),
    );
  root
    .command("replay")
    .argument("<webhook>", "id of a webhook")
    .description("Deliver again what a webhook was sent")
    .option("-s, --since <time>", "from this time on, such as 1h or 2026-01-31T12:00:00Z", "1h")
    .option("-u, --until <time>", "up to this time")
    .action(async (webhook, _, command) =>
      (await import("./verbs/replay.ts")).replay(webhook, command.optsWithGlobals()),
    );
}

function workflows(group: Command): void {
  group
    .command("deploy")
    .argument("<path>", "JSON or YAML file of a workflow, or a folder of such")
    .description("Deploy workflows; one of the same name is changed")
    .action(async (path, _, command) =>
      (await import("./verbs/workflows-deploy.ts")).deployWorkflows(
        path,
        command.optsWithGlobals(),
      ),
    );
  group
    .command("run")
    .argument("<workflow>", "id or name of a workflow")
    .description("Run a workflow now")
    .option("-e, --event <file>", "JSON of the event; - reads it from stdin")
    .action(async (workflow, _, command) =>
      (await import("./verbs/workflows-run.ts")).runWorkflow(workflow, command.optsWithGlobals()),
    );
  group
    .command("runs")
    .argument("<workflow>", "id or name of a workflow")
    .argument("[run]", "id of a run, to show its steps")
    .description("List the runs of a workflow, or show one")
    .option("-l, --limit <count>", "at most so many", count, 20)
    .action(async (workflow, run, _, command) =>
      (await import("./verbs/workflows-runs.ts")).workflowRuns(
        workflow,
        run,
        command.optsWithGlobals(),
      ),
    );
  group
    .command("rerun")
    .argument("<workflow>", "id or name of a workflow")
    .argument("<run>", "id of a run")
    .description("Repeat a run on its event")
    .option("--from-step <name>", "begin with this step")
    .action(async (workflow, run, _, command) =>
      (await import("./verbs/workflows-rerun.ts")).rerunWorkflow(
        workflow,
        run,
        command.optsWithGlobals(),
      ),
    );
}

function accounts(group: Command): void {
  group
    .command("list")
    .description("List connected accounts")
    .option("-a, --app <slug>", "of one app")
    .option("-l, --limit <count>", "at most so many", count, 100)
    .action(async (_, command) =>
      (await import("./verbs/accounts-list.ts")).listAccounts(command.optsWithGlobals()),
    );
  group
    .command("connect")
    .argument("<app>", "slug of an app, such as github")
    .description("Connect an account: in the browser, or by credentials from a file")
    .option("-n, --name <name>", "name of the account")
    .option("-c, --credentials <file>", "JSON of credentials; - reads it from stdin")
    .action(async (app, _, command) =>
      (await import("./verbs/accounts-connect.ts")).connectAccount(app, command.optsWithGlobals()),
    );
}

function registry(group: Command): void {
  group
    .command("publish")
    .argument("<path>", "file of a component, or its URL")
    .description("Publish a component to one's own registry")
    .option("--license <spdx>", "its licence")
    .action(async (path, _, command) =>
      (await import("./verbs/registry-publish.ts")).publish(path, command.optsWithGlobals()),
    );
  group
    .command("import")
    .argument("<dir>", "folder, tarball or URL of an archive")
    .description("Publish all components of a collection to one's own registry")
    .action(async (dir, _, command) =>
      (await import("./verbs/registry-import.ts")).importCollection(dir, command.optsWithGlobals()),
    );
  group
    .command("search")
    .argument("<words...>", "what to look for")
    .description("Find components of the global registry")
    .option("-a, --app <slug>", "of one app")
    .option("-t, --type <type>", "source or action")
    .option("-l, --limit <count>", "at most so many", count, 20)
    .action(async (words, _, command) =>
      (await import("./verbs/registry-search.ts")).search(words, command.optsWithGlobals()),
    );
}

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError("It is a whole number from 1 on.");
  return Number(text);
}

import type { Command } from "commander";

import { count } from "./count.ts";

/** Commands on workflows. */
export function workflows(group: Command): void {
  group
    .command("deploy")
    .argument("<path>", "JSON or YAML file of a workflow, or a folder of such files")
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
  changes(group);
}

function changes(group: Command): void {
  for (const [name, active] of [
    ["pause", false],
    ["resume", true],
  ] as const)
    group
      .command(name)
      .argument("<workflow>", "id or name of a workflow")
      .description(active ? "Activate a workflow" : "Deactivate a workflow")
      .action(async (workflow, _, command) =>
        (await import("./verbs/workflows-change.ts")).activateWorkflow(
          workflow,
          active,
          command.optsWithGlobals(),
        ),
      );
  group
    .command("delete")
    .argument("<workflow>", "id or name of a workflow")
    .description("Delete a workflow, its runs and its versions")
    .action(async (workflow, _, command) =>
      (await import("./verbs/workflows-change.ts")).deleteWorkflow(
        workflow,
        command.optsWithGlobals(),
      ),
    );
}

/** Commands on accounts. */
export function accounts(group: Command): void {
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
  group
    .command("delete")
    .argument("<account>", "id of an account")
    .description("Delete an account")
    .option("--force", "also if sources or workflows use it")
    .action(async (account, _, command) =>
      (await import("./verbs/accounts-delete.ts")).deleteAccount(
        account,
        command.optsWithGlobals(),
      ),
    );
}

/** Commands on apps, for operators. */
export function apps(group: Command): void {
  group
    .command("list")
    .argument("[text]", "part of a name or a slug")
    .description("List apps: whether accounts of them can be connected")
    .option("-l, --limit <count>", "at most so many", count, 100)
    .action(async (text, _, command) =>
      (await import("./verbs/apps-list.ts")).listApps(text, command.optsWithGlobals()),
    );
  group
    .command("show")
    .argument("<slug>", "slug of an app, such as github")
    .description("Show an app, and the steps that set it up")
    .action(async (slug, _, command) =>
      (await import("./verbs/apps-show.ts")).showApp(slug, command.optsWithGlobals()),
    );
  group
    .command("setup")
    .argument("<slug>", "slug of an app, such as github")
    .description("Set the OAuth client by which users sign in; reads its secret from stdin")
    .option("-c, --client-id <id>", "id of the client; else it is asked for")
    .action(async (slug, _, command) =>
      (await import("./verbs/apps-setup.ts")).setUpApp(slug, command.optsWithGlobals()),
    );
}

/** Commands on registries. */
export function registry(group: Command): void {
  group
    .command("publish")
    .argument("<path>", "file of a component, or its URL")
    .description("Publish a component to one's own registry")
    .option("--license <spdx>", "its licence")
    .action(async (path, _, command) =>
      (await import("./verbs/registry-publish.ts")).publish(path, command.optsWithGlobals()),
    );
  group
    .command("unpublish")
    .argument("<key>", "key of a component")
    .argument("<version>", "its version")
    .description("Withdraw a version of a component from one's own registry")
    .action(async (key, version, _, command) =>
      (await import("./verbs/registry-unpublish.ts")).unpublish(
        key,
        version,
        command.optsWithGlobals(),
      ),
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
    .argument("<words...>", "words to search for")
    .description("Find components: one's own, and those of the global registry")
    .option("-a, --app <slug>", "of one app")
    .option("-t, --type <type>", "source or action")
    .option("-l, --limit <count>", "at most so many", count, 20)
    .action(async (words, _, command) =>
      (await import("./verbs/registry-search.ts")).search(words, command.optsWithGlobals()),
    );
}

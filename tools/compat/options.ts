import { parseArgs } from "node:util";

export const USAGE = `npm run compat -- FOLDER [options]
npm run compat -- --diff A B

  Reads a folder with the layout components/<app>/{sources,actions}/…, saves each component by its URL, deploys it
  with generated values, runs it once against a fake internet, and reports its outcome and the cause.

  --app NAME       only this app; may be repeated
  --kind KIND      only "source" or "action"
  --list FILE      only the components in this file, one path a line
  --sample N       N components of as many apps as there are, the same each time
  --limit N        only the first N
  --jobs N         components in parallel (4)
  --timeout S      timeout of a component in seconds (90)
  --journal FILE   store each result; stored ones are not tried again
  --wait S         timeout of a source's run in seconds (30)
  --expect FILE    JSON of each component's expected outcome or party at fault
  --report FILE    write all results, their groups and the figures as JSON
  --faithful       instead, play well-known protocols (OAuth, pages, webhooks, signatures …) against faithful fakes with
                   each component of the folder with a fake
  --diff           instead of a run, print the differences of two reports
  --allow WORD     failures of this step or blame ("answers", "component"), or an outcome ("running"), do not fail the
                   run; may be repeated
  --state FOLDER   keep the platform's state, with its built packages, for the next run`;

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  console.log(USAGE);
  process.exit(0);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    app: { type: "string", multiple: true },
    kind: { type: "string" },
    list: { type: "string" },
    sample: { type: "string" },
    limit: { type: "string" },
    jobs: { type: "string", default: "4" },
    timeout: { type: "string", default: "90" },
    journal: { type: "string" },
    wait: { type: "string", default: "30" },
    expect: { type: "string" },
    report: { type: "string" },
    faithful: { type: "boolean", default: false },
    diff: { type: "boolean", default: false },
    allow: { type: "string", multiple: true, default: [] },
    state: { type: "string" },
  },
});

/** The options of the command line. */
export const options = values;

/** The positional arguments of the command line. */
export const given = positionals;

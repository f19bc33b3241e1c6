import { parseArgs } from "node:util";

export const USAGE = `npm run compat -- FOLDER [options]
npm run compat -- --diff A B

  Takes a folder laid out as components/<app>/{sources,actions}/…, saves each component by its URL, deploys it with
  values that are made up, runs it once against an outside that is made up, and says how it ended, and why.

  --app NAME       only this app; may be repeated
  --kind KIND      only "source" or "action"
  --list FILE      only the components whose paths this file has, one a line
  --sample N       N components of as many apps as there are, the same each time
  --limit N        only the first N
  --jobs N         how many at once (4)
  --timeout S      seconds that one may take (90)
  --journal FILE   keep each result; what is in there already is not tried again
  --wait S         how long the run of a source is waited for (30)
  --expect FILE    JSON of how each component must end: an outcome, or whose fault it is
  --report FILE    write all results, their groups and the figures as JSON
  --faithful       instead, play well-known protocols (OAuth, pages, webhooks, signatures …) against faithful fakes with
                   each component of the folder that there is a fake for
  --diff           instead of a run, print where two reports differ
  --allow WORD     failures of this step or blame ("answers", "component"), or an outcome ("running"), do not fail the
                   run; may be repeated
  --state FOLDER   keep the platform's state, and with it the packages that were built, for the next run`;

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

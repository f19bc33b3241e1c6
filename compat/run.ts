import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { serveFiles } from "./file-server.ts";
import { type Candidate, openFolder } from "./folder.ts";
import { tryAll } from "./lanes.ts";
import { startOutside } from "./outside.ts";
import { groupsOf, tableOf } from "./report.ts";
import type { Result } from "./subject.ts";

const USAGE = `npm run compat -- FOLDER [options]

  Takes a folder laid out as components/<app>/{sources,actions}/…, saves each component by its URL, deploys it with
  values that are made up, runs it once against an outside that is made up, and tells what failed and why.

  --app NAME       only this app; may be repeated
  --kind KIND      only "source" or "action"
  --limit N        only the first N
  --jobs N         how many at once (4)
  --timeout S      seconds that one may take (90)
  --journal FILE   keep each result; what is in there already is not tried again
  --report FILE    write all results and their groups as JSON
  --allow STEP     failures of this step (or "answers", "component") do not fail the run; may be repeated
  --state FOLDER   keep the platform's state, and with it the packages that were built, for the next run`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    app: { type: "string", multiple: true },
    kind: { type: "string" },
    limit: { type: "string" },
    jobs: { type: "string", default: "4" },
    timeout: { type: "string", default: "90" },
    journal: { type: "string" },
    report: { type: "string" },
    allow: { type: "string", multiple: true, default: [] },
    state: { type: "string" },
  },
});

const [given] = positionals;
if (given === undefined) {
  console.error(USAGE);
  process.exit(2);
}
process.exitCode = (await run(given)) ? 0 : 1;

async function run(path: string): Promise<boolean> {
  const folder = await openFolder(path);
  const wanted = folder.candidates.filter((candidate) => isWanted(candidate));
  const chosen = wanted.slice(0, options.limit === undefined ? undefined : Number(options.limit));
  const results = await journalled();
  const done = new Set(results.map((result) => result.path));
  const left = chosen.filter((candidate) => !done.has(candidate.path));
  console.log(`${chosen.length} components, ${chosen.length - left.length} of them tried before`);

  const [outside, files] = [await startOutside(), await serveFiles(folder.root)];
  const stateDir = options.state ?? (await mkdtemp(join(tmpdir(), "wellspring-compat-")));
  try {
    await tryAll(
      {
        folder,
        files: files.url,
        outside,
        stateDir,
        jobs: Number(options.jobs),
        timeoutMs: Number(options.timeout) * 1000,
        onResult: async (result) => {
          results.push(result);
          tell(result, results.length, chosen.length);
          if (options.journal) await appendFile(options.journal, `${JSON.stringify(result)}\n`);
        },
      },
      left,
    );
  } finally {
    outside.close();
    files.close();
    if (!options.state) await rm(stateDir, { recursive: true, force: true });
  }
  return conclude(results.filter((result) => isWanted(result)));
}

function isWanted({ app, kind }: Candidate): boolean {
  const isOfApp = options.app === undefined || options.app.includes(app);
  return isOfApp && (options.kind === undefined || options.kind === kind);
}

async function journalled(): Promise<Result[]> {
  if (!options.journal) return [];
  const text = await readFile(options.journal, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): Result => JSON.parse(line));
}

function tell({ path, trouble, ms, events }: Result, count: number, total: number): void {
  const outcome = trouble
    ? `FAILED at ${trouble.step}: ${trouble.name}: ${trouble.message.split("\n")[0]}`
    : `${events} events`;
  console.log(`${count}/${total}  ${ms} ms  ${path}  ${outcome}`);
}

async function conclude(results: readonly Result[]): Promise<boolean> {
  console.log(`\n${tableOf(results).join("\n")}`);
  const groups = groupsOf(results);
  if (options.report) await writeFile(options.report, JSON.stringify({ groups, results }, null, 2));
  return groups.every(({ step, blame }) =>
    [step, blame].some((one) => options.allow.includes(one)),
  );
}

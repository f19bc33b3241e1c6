import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listedIn, sampleOf } from "./choice.ts";
import { diffOf } from "./diff.ts";
import { serveFiles } from "./file-server.ts";
import { type Candidate, type Folder, openFolder } from "./folder.ts";
import { tryAll } from "./lanes.ts";
import { given, options, USAGE } from "./options.ts";
import { startOutside } from "./outside.ts";
import { figuresOf, groupsOf, tableOf } from "./report.ts";
import type { Result } from "./subject.ts";

const [first, second] = given;
if (first === undefined || (options.diff && second === undefined)) {
  console.error(USAGE);
  process.exit(2);
}
if (options.diff && second !== undefined) console.log((await diffOf(first, second)).join("\n"));
else process.exitCode = (await run(first)) ? 0 : 1;

async function run(path: string): Promise<boolean> {
  const folder = await openFolder(path);
  const chosen = await choose(folder);
  const results = await journalled(new Set(chosen.map((candidate) => candidate.path)));
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
  return conclude(results);
}

async function choose({ candidates }: Folder): Promise<Candidate[]> {
  const listed = options.list ? await listedIn(options.list, candidates) : candidates;
  const wanted = listed.filter((candidate) => isWanted(candidate));
  const sample = options.sample ? sampleOf(wanted, Number(options.sample)) : wanted;
  return sample.slice(0, options.limit === undefined ? undefined : Number(options.limit));
}

function isWanted({ app, kind }: Candidate): boolean {
  const isOfApp = options.app === undefined || options.app.includes(app);
  return isOfApp && (options.kind === undefined || options.kind === kind);
}

/** What a run before found out about what is tried now. */
async function journalled(paths: ReadonlySet<string>): Promise<Result[]> {
  if (!options.journal) return [];
  const text = await readFile(options.journal, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): Result => JSON.parse(line)).filter(({ path }) => paths.has(path));
}

function tell({ path, trouble, ms, outcome, events }: Result, count: number, total: number): void {
  const why = trouble && ` at ${trouble.step}: ${trouble.name}: ${trouble.message.split("\n")[0]}`;
  const how = why ? outcome.toUpperCase() + why : `${outcome} (${events} events)`;
  console.log(`${count}/${total}  ${ms} ms  ${path}  ${how}`);
}

async function conclude(results: readonly Result[]): Promise<boolean> {
  console.log(`\n${tableOf(results).join("\n")}`);
  const [groups, figures] = [groupsOf(results), figuresOf(results)];
  if (options.report)
    await writeFile(options.report, JSON.stringify({ figures, groups, results }, null, 2));
  return (
    groups.every(({ step, blame }) => isAllowed(step, blame)) &&
    results.every(({ outcome }) => outcome !== "running" || isAllowed(outcome))
  );
}

function isAllowed(...words: string[]): boolean {
  return words.some((word) => options.allow.includes(word));
}

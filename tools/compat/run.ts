import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Refusal } from "../scripts/local/refusal.ts";
import { listedIn, sampleOf } from "./choice.ts";
import { diffOf } from "./diff.ts";
import { playAll } from "./faithful/play.ts";
import { startFakeUpstream } from "./fake-upstream.ts";
import { serveFiles } from "./file-server.ts";
import { type Fixtures, fixturesFor } from "./fixtures.ts";
import { type Candidate, type Folder, openFolder } from "./folder.ts";
import { type Plan, tryAll } from "./lanes.ts";
import { given, options, USAGE } from "./options.ts";
import { figuresOf, groupsOf, tableOf } from "./report.ts";
import type { Result } from "./subject.ts";

const [first, second] = given;
if (first === undefined || (options.diff && second === undefined)) {
  console.error(USAGE);
  process.exit(2);
}
if (options.diff && second !== undefined) console.log((await diffOf(first, second)).join("\n"));
else process.exitCode = await codeOf(options.faithful ? playFaithful : run, first);

async function codeOf(work: (path: string) => Promise<boolean>, path: string): Promise<number> {
  try {
    return (await work(path)) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    return 1;
  }
}

async function run(path: string): Promise<boolean> {
  const folder = await openFolder(path);
  const chosen = await choose(folder);
  const results = await journalled(new Set(chosen.map((candidate) => candidate.path)));
  const done = new Set(results.map((result) => result.path));
  const left = chosen.filter((candidate) => !done.has(candidate.path));
  const before = options.journal ? `, ${chosen.length - left.length} of them tried before` : "";
  console.log(`${counted(chosen.length, "component")}${before}`);
  const fixtures = await fixturesOf(folder.root, left);

  const onResult = async (result: Result): Promise<void> => {
    results.push(result);
    report(result, results.length, chosen.length);
    if (options.journal) await appendFile(options.journal, `${JSON.stringify(result)}\n`);
  };
  await withPlan(folder, (plan) => tryAll({ ...plan, fixtures, onResult }, left));
  return conclude(results);
}

/** Play the protocols whose components are in a folder. */
async function playFaithful(path: string): Promise<boolean> {
  const { root, candidates } = await openFolder(path);
  const folder = { root, candidates: candidates.filter((candidate) => isWanted(candidate)) };
  const played = await withPlan(folder, (plan) =>
    playAll(plan, ({ protocol, component, follows, ms, problem }) => {
      const of = follows === undefined ? "" : `  (follows ${follows})`;
      console.log(`${problem ? "WRONG" : "right"}  ${ms} ms  ${protocol}  ${component}${of}`);
      if (problem) console.log(`  ${problem}`);
    }),
  );
  const right = played.filter(({ problem }) => problem === undefined).length;
  console.log(`\n${right} of ${played.length} right in every check`);
  if (options.report) await writeFile(options.report, JSON.stringify({ played }, null, 2));
  return played.length > 0 && right === played.length;
}

/** Open the resources of a run: the fake internet, a server of the folder's files, and the platform's state folder. */
async function withPlan<T>(folder: Folder, use: (plan: Plan) => Promise<T>): Promise<T> {
  const [upstream, files] = [await startFakeUpstream(), await serveFiles(folder.root)];
  const stateDir = options.state ?? (await mkdtemp(join(tmpdir(), "wellspring-compat-")));
  const [jobs, waitSeconds] = [Number(options.jobs), Number(options.wait)];
  const timeoutMs = Number(options.timeout) * 1000;
  try {
    return await use({
      folder,
      fixtures: new Map(),
      files: files.url,
      upstream,
      stateDir,
      jobs,
      timeoutMs,
      waitSeconds,
    });
  } finally {
    upstream.close();
    files.close();
    if (!options.state) await rm(stateDir, { recursive: true, force: true });
  }
}

async function fixturesOf(
  root: string,
  candidates: readonly Candidate[],
): Promise<Map<string, Fixtures>> {
  const all = new Map<string, Fixtures>();
  for (const { path } of candidates) {
    const fixtures = await fixturesFor(root, path);
    if (fixtures) all.set(path, fixtures);
  }
  return all;
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

/** The results of an earlier run for the current components. */
async function journalled(paths: ReadonlySet<string>): Promise<Result[]> {
  if (!options.journal) return [];
  const text = await readFile(options.journal, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): Result => JSON.parse(line)).filter(({ path }) => paths.has(path));
}

function report(
  { path, trouble, ms, outcome, events }: Result,
  count: number,
  total: number,
): void {
  const why = trouble && ` at ${trouble.step}: ${trouble.name}: ${trouble.message.split("\n")[0]}`;
  const word = trouble?.blame === "answers" ? "UNKNOWN" : outcome.toUpperCase();
  const how = why ? word + why : `${outcome} (${counted(events, "event")})`;
  console.log(`${count}/${total}  ${ms} ms  ${path}  ${how}`);
}

async function conclude(results: readonly Result[]): Promise<boolean> {
  console.log(`\n${tableOf(results).join("\n")}`);
  const [groups, figures] = [groupsOf(results), figuresOf(results)];
  if (options.report)
    await writeFile(options.report, JSON.stringify({ figures, groups, results }, null, 2));
  if (options.expect) return isAsExpected(options.expect, results);
  return (
    groups.every(({ step, blame }) => isAllowed(step, blame)) &&
    results.every(({ outcome }) => outcome !== "running" || isAllowed(outcome))
  );
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function isAllowed(...words: string[]): boolean {
  return words.some((word) => options.allow.includes(word));
}

/** Whether every component's outcome matches a file; prints the differences. */
async function isAsExpected(file: string, results: readonly Result[]): Promise<boolean> {
  const expected: Record<string, string> = JSON.parse(await readFile(file, "utf8"));
  const ends = new Map(
    results.map(({ path, outcome, trouble }) => [path, trouble?.blame ?? outcome]),
  );
  const wrong = Object.entries(expected).filter(([path, end]) => ends.get(path) !== end);
  for (const [path, end] of wrong)
    console.log(`WRONG: ${path}: ${ends.get(path)} instead of ${end}`);
  console.log(`${ends.size - wrong.length} of ${Object.keys(expected).length} ended as expected`);
  return wrong.length === 0;
}

import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { startPlatform } from "../scripts/platform.ts";
import { accounts } from "./agents/accounts.ts";
import { callbacks } from "./agents/callbacks.ts";
import { contents } from "./agents/contents.ts";
import { exfiltration } from "./agents/exfiltration.ts";
import { isolation } from "./agents/isolation.ts";
import { sharedSources } from "./agents/shared-sources.ts";
import { backup } from "./backup.ts";
import { browser } from "./browser.ts";
import { bundles } from "./bundles.ts";
import { compiler } from "./compiler.ts";
import { endpoints } from "./endpoints.ts";
import { forgedOutcomes } from "./forged-outcomes.ts";
import { formerMembers } from "./former-members.ts";
import { globs } from "./globs.ts";
import { guesses } from "./guesses.ts";
import { imports } from "./imports.ts";
import { logs } from "./logs.ts";
import { loopingSources } from "./looping-sources.ts";
import { parsers } from "./parsers.ts";
import { presetSecrets } from "./preset-secrets.ts";
import { privateTargets } from "./private-targets.ts";
import { startRegistry } from "./registry.ts";
import { sessions } from "./sessions.ts";
import { smallDoors } from "./small-doors.ts";
import { storage } from "./storage.ts";
import { unmeteredWork } from "./unmetered-work.ts";
import { workflowSteps } from "./workflow-steps.ts";
import { type Attack, holdsService, type World } from "./world.ts";

/** Attacks on shared parts run alone: others would only measure them. */
const ALONE: Record<string, Attack[]> = { compiler, "looping-sources": loopingSources };

const SUBJECTS: Record<string, Attack[]> = {
  "former-members": formerMembers,
  globs,
  guesses,
  imports,
  endpoints,
  "forged-outcomes": forgedOutcomes,
  "unmetered-work": unmeteredWork,
  "preset-secrets": presetSecrets,
  "private-targets": privateTargets,
  bundles,
  "small-doors": smallDoors,
  sessions,
  storage,
  parsers,
  "workflow-steps": workflowSteps,
  backup,
  logs,
  browser,
  "agents-exfiltration": exfiltration,
  "agents-isolation": isolation,
  "agents-accounts": accounts,
  "agents-contents": contents,
  "agents-callbacks": callbacks,
  "agents-shared-sources": sharedSources,
};

/** The limit of one attack; a longer one has made a request wait forever. */
const ATTACK_TIMEOUT_MS = 150_000;

/** Attacks of different subjects have separate tenants: this many subjects run in parallel. */
const AT_ONCE = 3;

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-attack-"));
const registry = await startRegistry();
const platform = await startPlatform({
  stateDir,
  variables: { NPM_REGISTRY_URL: registry.url, LOG_LEVEL: "silent" },
});
const world: World = { platform, stateDir, origin: new URL(platform.url).origin };
const broken: string[] = [];
let heldCount = 0;
const startMs = performance.now();
try {
  await attemptEach(chosen(ALONE));
  const subjects = chosen(SUBJECTS);
  await Promise.all(Array.from({ length: AT_ONCE }, () => attemptEach(subjects)));
  await attempt("all", { name: "the platform still responds", run: holdsService });
} finally {
  await platform.stop();
  registry.close();
  await rm(stateDir, { recursive: true, force: true });
}
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
for (const line of broken) console.log(line);
console.log(
  `The platform withstood ${heldCount} attacks and failed ${broken.length}, in ${minutes} min`,
);
process.exitCode = broken.length === 0 ? 0 : 1;

function chosen(subjects: Record<string, Attack[]>): [string, Attack[]][] {
  return Object.entries(subjects).filter(([name]) => name.includes(values.only));
}

/** Runs subject after subject from a list shared with other workers. */
async function attemptEach(subjects: [string, Attack[]][]): Promise<void> {
  for (let next = subjects.shift(); next; next = subjects.shift())
    for (const attack of next[1]) await attempt(next[0], attack);
}

async function attempt(subject: string, { name, run }: Attack): Promise<void> {
  const beganMs = performance.now();
  const problem = await Promise.race([
    run(world).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
    new Promise<string>((done) => {
      setTimeout(() => done("The attack timed out"), ATTACK_TIMEOUT_MS).unref();
    }),
  ]);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const line = `${subject}: ${name} (${seconds} s)`;
  if (problem === undefined) {
    heldCount += 1;
    console.log(`held   ${line}`);
  } else {
    broken.push(`BROKEN ${line}\n       ${problem}`);
    console.log(broken.at(-1));
  }
}

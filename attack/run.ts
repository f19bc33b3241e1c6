import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { startPlatform } from "../scripts/platform.ts";
import { backup } from "./backup.ts";
import { browser } from "./browser.ts";
import { bundles } from "./bundles.ts";
import { compiler } from "./compiler.ts";
import { endpoints } from "./endpoints.ts";
import { forgedOutcomes } from "./forged-outcomes.ts";
import { formerMembers } from "./former-members.ts";
import { globs } from "./globs.ts";
import { logs } from "./logs.ts";
import { parsers } from "./parsers.ts";
import { privateTargets } from "./private-targets.ts";
import { startRegistry } from "./registry.ts";
import { smallDoors } from "./small-doors.ts";
import { unmeteredWork } from "./unmetered-work.ts";
import { workflowSteps } from "./workflow-steps.ts";
import { type Attack, holdsService, type World } from "./world.ts";

const SUBJECTS: Record<string, Attack[]> = {
  compiler,
  "former-members": formerMembers,
  globs,
  endpoints,
  "forged-outcomes": forgedOutcomes,
  "unmetered-work": unmeteredWork,
  "private-targets": privateTargets,
  bundles,
  "small-doors": smallDoors,
  parsers,
  "workflow-steps": workflowSteps,
  backup,
  logs,
  browser,
};

/** One attack may take this long; what takes longer has made something wait for ever. */
const ATTACK_TIMEOUT_MS = 90_000;

/** Attacks of different subjects have tenants of their own: so many subjects are tried side by side. */
const AT_ONCE = 3;

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-attack-"));
const registry = await startRegistry();
const platform = await startPlatform({
  stateDir,
  variables: { NPM_REGISTRY_URL: registry.url, LOG_LEVEL: "silent" },
});
const world: World = { platform, stateDir, origin: new URL(platform.url).origin };
const counts = { held: 0, broken: 0 };
const startMs = performance.now();
try {
  const subjects = Object.entries(SUBJECTS).filter(([name]) => name.includes(values.only));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = subjects.shift(); next; next = subjects.shift())
        for (const attack of next[1]) await attempt(next[0], attack);
    }),
  );
  await attempt("all", { name: "the platform still serves", run: holdsService });
} finally {
  await platform.stop();
  registry.close();
  await rm(stateDir, { recursive: true, force: true });
}
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
console.log(`${counts.held} attacks were held off, ${counts.broken} were not, in ${minutes} min`);
process.exitCode = counts.broken === 0 ? 0 : 1;

async function attempt(subject: string, { name, run }: Attack): Promise<void> {
  const beganMs = performance.now();
  const problem = await Promise.race([
    run(world).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
    new Promise<string>((done) => {
      setTimeout(() => done("It takes for ever"), ATTACK_TIMEOUT_MS).unref();
    }),
  ]);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const isHeld = problem === undefined;
  counts[isHeld ? "held" : "broken"] += 1;
  console.log(
    `${isHeld ? "held  " : "BROKEN"} ${subject}: ${name} (${seconds} s)${isHeld ? "" : `\n       ${problem}`}`,
  );
}

import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { freePort } from "../scripts/local/ports.ts";
import { startPlatform } from "../scripts/platform.ts";
import { type Audit, audit, chargedRuns, printHead } from "./audit.ts";
import { Subject } from "./subject.ts";
import { sendEvents } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    connections: { type: "string", default: "8" },
  },
});
const connections = Number(values.connections);

/** A round ends at a random moment. */
const ROUND_MS = { least: 300, most: 2000 };

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-chaos-"));
const port = await freePort();
const start = () => startPlatform({ stateDir, port });

const subjects = await deploySubjects(["quick", "counting", "slow", "responding"]);
for (let round = 1; round <= Number(values.rounds); round += 1) await killUnderLoad(round);
const isSound = await report();
if (isSound) await rm(stateDir, { recursive: true });
else console.error(`\nThe state remains in ${stateDir}`);
process.exitCode = isSound ? 0 : 1;

async function deploySubjects(names: readonly string[]): Promise<Subject[]> {
  const platform = await start();
  const deployed: Subject[] = [];
  for (const name of names) deployed.push(await Subject.deploy(platform, name));
  // The platform must keep these deployments as well.
  await platform.kill();
  return deployed;
}

async function killUnderLoad(round: number): Promise<void> {
  const platform = await start();
  for (const subject of subjects) await subject.deploySpare(platform);
  const end = new AbortController();
  const traffic = subjects.map(({ sent }) => sendEvents(sent, { connections, until: end.signal }));
  const lifeMs = Math.round(ROUND_MS.least + Math.random() * (ROUND_MS.most - ROUND_MS.least));
  await new Promise((done) => setTimeout(done, lifeMs));
  await platform.kill();
  end.abort();
  await Promise.all(traffic);
  const counts = subjects.map(({ name, sent }) => `${name} ${sent.acknowledged.size}`);
  console.log(
    `kill ${round} after ${lifeMs} ms under load; acknowledged so far: ${counts.join(", ")}`,
  );
}

async function report(): Promise<boolean> {
  const platform = await start();
  const audits: Audit[] = [];
  let isMetered = false;
  try {
    printHead();
    for (const subject of subjects) audits.push(await audit(platform, subject));
    // Each run emits one event, so both counts must be equal.
    const runs = audits.reduce((sum, { found, duplicates }) => sum + found + duplicates, 0);
    const charged = await chargedRuns(platform, runs);
    console.log(`\n${runs} runs, of which ${charged} are metered`);
    isMetered = charged === runs;
  } finally {
    await platform.stop();
  }
  const isWhole = audits.every(
    ({ acknowledged, lost, miscounted }) =>
      acknowledged > 0 && lost.length === 0 && miscounted === 0,
  );
  return isWhole && isMetered;
}

import "../scripts/help.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { type DeployedSource, deploy, endpointOf } from "../scripts/api.ts";
import { freePort } from "../scripts/local/ports.ts";
import { startPlatform } from "../scripts/platform.ts";
import { type Audit, audit, chargedRuns } from "./audit.ts";
import { SentEvents, sendEvents } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    connections: { type: "string", default: "8" },
  },
});
const connections = Number(values.connections);

/** A round ends at a random moment. */
const ROUND_MS = { least: 300, most: 2000 };

type Subject = { name: string; source: DeployedSource; sent: SentEvents };

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
  for (const name of names) {
    const code = await readFile(join(import.meta.dirname, `components/${name}.js`), "utf8");
    deployed.push({
      name,
      source: await deploy(platform, code),
      sent: new SentEvents(name),
    });
  }
  // The platform must keep these deployments as well.
  await platform.kill();
  return deployed;
}

async function killUnderLoad(round: number): Promise<void> {
  const platform = await start();
  const end = new AbortController();
  const traffic = subjects.map(({ source, sent }) =>
    sendEvents(endpointOf(source), sent, { connections, until: end.signal }),
  );
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
    console.log("\n| source | acknowledged | found | lost | duplicates | miscounted |");
    console.log("|---|---|---|---|---|---|");
    for (const { name, source, sent } of subjects) {
      const audited = await audit(platform, source, sent);
      audits.push(audited);
      const { acknowledged, found, lost, duplicates, miscounted } = audited;
      const cells = [name, acknowledged, found, lost.length, duplicates, miscounted];
      console.log(`| ${cells.join(" | ")} |`);
      if (lost.length > 0) console.error(`lost: ${lost.slice(0, 10).join(", ")}`);
    }
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

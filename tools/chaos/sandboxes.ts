import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

import { freePort } from "../scripts/local/ports.ts";
import { type RunningPlatform, sandboxesOf, startPlatform } from "../scripts/platform.ts";
import { audit, printHead } from "./audit.ts";
import { Subject } from "./subject.ts";
import { sendEvents } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    sandboxes: { type: "string", default: "2" },
    connections: { type: "string", default: "8" },
    // The minimum number of events: the kills are spread over them.
    events: { type: "string", default: "0" },
  },
});
const kills = Number(values.kills);
const events = Number(values.events);
const connections = Number(values.connections);

/** A kill comes at a random moment. */
const LIFE_MS = { least: 200, most: 3000 };

/** The share of kills that hit the platform, with all its processes. */
const PLATFORM_SHARE = 0.1;

/** The pauses of a connection. A source in quarantine runs its events one by one, and must keep up. */
const PAUSES: Record<string, number> = { slow: 2000 };

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-chaos-"));
const port = await freePort();
const start = (): Promise<RunningPlatform> =>
  startPlatform({ stateDir, port, variables: { SANDBOXES: values.sandboxes } });

let platform = await start();
const subjects: Subject[] = [];
for (const name of ["quick", "counting", "slow", "responding"])
  subjects.push(await Subject.deploy(platform, name));

const end = new AbortController();
const traffic = subjects.map(({ name, sent }) =>
  sendEvents(sent, { connections, pauseMs: PAUSES[name], until: end.signal }),
);
let platforms = 0;
let sandboxes = 0;
while (platforms + sandboxes < kills || acknowledged() < events) {
  await wait(LIFE_MS.least + Math.random() * (LIFE_MS.most - LIFE_MS.least));
  for (const subject of subjects) await subject.deploySpare(platform);
  if (acknowledged() < (events / kills) * (platforms + sandboxes)) continue;
  await killOne();
  if ((platforms + sandboxes) % 20 === 0)
    console.log(`${platforms + sandboxes} kills, ${acknowledged()} events acknowledged`);
}
end.abort();
await Promise.all(traffic);
const isSound = await report();
await platform.stop();
if (isSound) await rm(stateDir, { recursive: true });
else console.error(`\nThe state remains in ${stateDir}`);
process.exitCode = isSound ? 0 : 1;

function acknowledged(): number {
  return subjects.reduce((sum, { sent }) => sum + sent.acknowledged.size, 0);
}

async function killOne(): Promise<void> {
  if (Math.random() < PLATFORM_SHARE) {
    await platform.kill();
    platform = await start();
    platforms += 1;
    return;
  }
  const pids = await sandboxesOf(platform);
  const pid = pids[Math.floor(Math.random() * pids.length)];
  // The process may be about to restart.
  if (pid === undefined) return;
  process.kill(pid, "SIGKILL");
  sandboxes += 1;
}

async function report(): Promise<boolean> {
  console.log(`\n${sandboxes} kills of sandbox processes, ${platforms} of the platform`);
  printHead();
  let isWhole = true;
  for (const subject of subjects) {
    const { acknowledged: sum, lost, duplicates, miscounted } = await audit(platform, subject);
    isWhole &&= sum > 0 && lost.length === 0 && duplicates === 0 && miscounted === 0;
  }
  return isWhole;
}

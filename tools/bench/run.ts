import "../scripts/help.ts";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";

import { measureActions } from "./actions.ts";
import { measureAgents } from "./agents.ts";
import { measureApi } from "./api.ts";
import { compare, type Result } from "./compare.ts";
import { measureConsole } from "./console.ts";
import { measureContainment } from "./containment.ts";
import { countWays, measureCosts } from "./costs.ts";
import { measureCrowd } from "./crowd.ts";
import { measureDelivery } from "./delivery.ts";
import { measureDirectory } from "./directory.ts";
import { measureExternalUsers } from "./external-users.ts";
import { measureLoopingSources } from "./looping-sources.ts";
import { measureSandboxes } from "./sandboxes.ts";
import { measureSaves } from "./saves.ts";
import { measureScale } from "./scale.ts";
import { measureSearch } from "./search.ts";
import { measureShards } from "./shards.ts";
import { sourceTarget, verifyHundred, withFloor, withPlatform } from "./targets.ts";
import { measureVersions } from "./versions.ts";
import { measureWorkflows } from "./workflows.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "3" },
    sources: { type: "string", default: "1000" },
    connections: { type: "string", default: "1,16,64" },
    // Duration of each attack of `containment`, in seconds.
    attack: { type: "string", default: "30" },
    // Only the attacks whose names contain this, and only with these numbers of sandbox processes.
    attacks: { type: "string", default: "" },
    sandboxes: { type: "string", default: "2,1" },
    saves: { type: "string", default: "15" },
    users: { type: "string", default: "1000" },
    base: { type: "string" },
    // For `costs` and `scale`: fewer events; the file with counts of an earlier run, in place of new ones, or to compare with.
    quick: { type: "boolean", default: false },
    counts: { type: "string" },
    before: { type: "string" },
    only: { type: "string" },
  },
});
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

console.log(`${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}`);
console.log(`medians of ${effort.rounds} rounds of ${effort.seconds} s, in turns\n`);
const { only } = values;
if (!only || only === "throughput") await measureThroughput();
if (!only || only === "shards") await measureShards(effort);
if (!only || only === "crowd") await measureManySources(Number(values.sources));
if (!only || only === "delivery") await measureDelivery();
const counting = { isQuick: values.quick, known: values.counts };
const counts = !only || only === "costs" ? await measureCosts(counting, values.before) : undefined;
if (!only || only === "scale") await measureScale(counts ?? (await countWays(counting)));
if (!only || only === "directory") await measureDirectory();
if (!only || only === "saves") await measureSaves(Number(values.saves), values.base);
if (!only || only === "workflows") await measureWorkflows(effort.rounds);
if (!only || only === "containment") {
  const seconds = Number(values.attack);
  await measureContainment(values.sandboxes.split(",").map(Number), values.attacks, seconds);
  if ("looping sources".includes(values.attacks)) await measureLoopingSources(seconds);
}
if (!only || only === "sandboxes") await measureSandboxes(effort);
if (!only || only === "api") await measureApi(effort.rounds);
if (!only || only === "search") await measureSearch();
if (!only || only === "actions") await measureActions(effort.rounds);
if (!only || only === "agents") await measureAgents(effort.rounds);
if (!only || only === "console") await measureConsole();
// It only compares.
if (only === "versions" || (!only && values.base)) await measureVersions(values.base, effort);
if (!only || only === "users") await measureExternalUsers(Number(values.users));

async function measureThroughput(): Promise<void> {
  console.log(
    "| connections | target | events/s | p50 ms | p99 ms | of the floor | p99 of the floor |",
  );
  console.log("|---|---|---|---|---|---|---|");
  await withFloor((floor) =>
    withPlatform(async (platform) => {
      const sources = ["stateless", "stateful"];
      const targets = [floor];
      for (const name of sources) targets.push(await sourceTarget(platform, name));
      for (const connections of values.connections.split(",").map(Number)) {
        const results = await compare(targets, connections, effort);
        for (const [index, outcome] of results.entries())
          printRow(connections, targets[index]?.name ?? "", outcome);
      }
      for (const name of sources) await verifyHundred(platform, name);
      console.log("\nEach source's last 100 events arrived exactly once.");
    }),
  );
}

function printRow(connections: number, name: string, outcome: Result): void {
  const { perSecond, p50Ms, p99Ms, failed, ofFirst } = outcome;
  const times = [p50Ms, p99Ms].map((ms) => ms.toFixed(1));
  const ratios = [ofFirst.perSecond, ofFirst.p99Ms].map((ratio) => ratio.toFixed(2));
  console.log(`| ${[connections, name, Math.round(perSecond), ...times, ...ratios].join(" | ")} |`);
  if (failed > 0) {
    console.log(`\n${failed} requests to ${name} failed.\n`);
    process.exitCode = 1;
  }
}

async function measureManySources(size: number): Promise<void> {
  const { alone, among, slowdown, deploySeconds } = await measureCrowd(size, effort);
  console.log(`
One source alone on a platform: ${Math.round(alone)} events/s. Among ${size} others: ${Math.round(among)}.
That is ${slowdown.toFixed(2)} times slower. Deploying the others took ${deploySeconds.toFixed(1)} s.`);
}

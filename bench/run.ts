import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";

import { compare } from "./compare.ts";
import { measureCrowd } from "./crowd.ts";
import { measureDelivery } from "./delivery.ts";
import type { Sample } from "./load.ts";
import { sourceTarget, verifyHundred, withFloor, withPlatform } from "./targets.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    sources: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

console.log(`${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}`);
console.log(`medians of ${effort.rounds} rounds of ${effort.seconds} s, taken in turns\n`);
const { only } = values;
if (!only || only === "throughput") await measureThroughput();
if (!only || only === "crowd") await measureManySources(Number(values.sources));
if (!only || only === "delivery") await measureDelivery();

async function measureThroughput(): Promise<void> {
  console.log("| connections | target | events/s | p50 ms | p99 ms | of the floor | p99, times |");
  console.log("|---|---|---|---|---|---|---|");
  await withFloor((floor) =>
    withPlatform(async (platform) => {
      const sources = ["stateless", "stateful"];
      const targets = [floor];
      for (const name of sources) targets.push(await sourceTarget(platform, name));
      for (const connections of [1, 16, 64]) {
        const samples = await compare(targets, connections, effort);
        for (const [index, sample] of samples.entries())
          printRow(connections, targets[index]?.name ?? "", sample, samples[0] ?? sample);
      }
      for (const name of sources) await verifyHundred(platform, name);
      console.log("\nEach source's last 100 events were there, each once.");
    }),
  );
}

function printRow(connections: number, name: string, sample: Sample, floor: Sample): void {
  const cells = [
    connections,
    name,
    Math.round(sample.perSecond),
    sample.p50Ms.toFixed(1),
    sample.p99Ms.toFixed(1),
    (sample.perSecond / floor.perSecond).toFixed(2),
    (sample.p99Ms / floor.p99Ms).toFixed(2),
  ];
  console.log(`| ${cells.join(" | ")} |`);
  if (sample.failed > 0) {
    console.log(`\n${sample.failed} requests to ${name} failed.\n`);
    process.exitCode = 1;
  }
}

async function measureManySources(size: number): Promise<void> {
  const { alonePerSecond, crowdedPerSecond, deploySeconds } = await measureCrowd(size, effort);
  console.log(`
One source alone on a platform: ${Math.round(alonePerSecond)} events/s.
Among ${size} others: ${Math.round(crowdedPerSecond)} events/s, ${(alonePerSecond / crowdedPerSecond).toFixed(2)} times slower.
Deploying those took ${deploySeconds.toFixed(1)} s.`);
}

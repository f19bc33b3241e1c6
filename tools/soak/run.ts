import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

import { startPlatform } from "../scripts/platform.ts";
import { startReceiver } from "../scripts/receiver.ts";
import { populateWithPackages } from "./packaged.ts";
import { populate } from "./population.ts";
import { Sampler } from "./sampler.ts";
import { judge, judgeMemory, lineOf, type Minute } from "./thresholds.ts";

const MINUTE_MS = 60_000;

/**
 * Events a second before the first minute: at the rate itself histories reach their ends, write-ahead logs their size
 * (4 MB each) and heaps their first collections only after a quarter of an hour.
 */
const WARMUP_RATE = 40;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    rate: { type: "string", default: "20" },
    warmup: { type: "string", default: "8" },
    // Above 0: sources on this many npm packages, without subscribers.
    packages: { type: "string", default: "0" },
    sources: { type: "string", default: "1000" },
  },
});

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-soak-"));
const receiver = await startReceiver();
const platform = await startPlatform({ stateDir, variables: { LOG_LEVEL: "error" } });
try {
  const packages = Number(values.packages);
  const endpoints =
    packages > 0
      ? await populateWithPackages(platform, { packages, sources: Number(values.sources) })
      : await populate(platform, receiver.url);
  // With packages most events load an isolate, which takes the process much longer than a run.
  const warmup = send(endpoints, packages > 0 ? Number(values.rate) : WARMUP_RATE);
  await wait(Number(values.warmup) * MINUTE_MS);
  warmup.stop();
  receiver.received.splice(0);
  const traffic = send(endpoints, Number(values.rate));
  const sampler = new Sampler(platform.pid, stateDir);
  const minutes: Minute[] = [];
  console.log(
    "| minute | events | deliveries | memory MB | descriptors | disk MB | KB a delivery |",
  );
  console.log("|---|---|---|---|---|---|---|");
  while (minutes.length < Number(values.minutes)) {
    await wait(MINUTE_MS);
    // Received events are counted and dropped, so that this process stays small itself.
    const deliveries = receiver.received.splice(0).length;
    minutes.push({ ...(await sampler.minute()), deliveries, events: traffic.take() });
    console.log(lineOf(minutes));
  }
  traffic.stop();
  sampler.stop();
  const judged = packages > 0 ? judgeMemory(minutes) : judge(minutes);
  const faults = [...judged, ...warmup.faults(), ...traffic.faults()];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
  if (faults.length === 0) console.log("\nThe last half is flat");
} finally {
  await platform.stop();
  receiver.close();
  await rm(stateDir, { recursive: true, force: true });
}

/** Send events to one endpoint after the other, at a rate a second. */
function send(urls: readonly string[], perSecond: number) {
  let [next, events, refused] = [0, 0, 0];
  const post = async (): Promise<void> => {
    const url = urls[next % urls.length] ?? "";
    next += 1;
    const body = JSON.stringify({ n: next, text: "x".repeat(next % 500) });
    const headers = { "content-type": "application/json" };
    try {
      const response = await fetch(url, { method: "POST", headers, body });
      await response.text();
      if (response.status >= 500) refused += 1;
    } catch {
      refused += 1;
    }
    events += 1;
  };
  const timer = setInterval(() => void post(), 1000 / perSecond);
  return {
    stop: () => clearInterval(timer),
    take: () => {
      const taken = events;
      events = 0;
      return taken;
    },
    faults: () => (refused === 0 ? [] : [`${refused} events were not accepted`]),
  };
}

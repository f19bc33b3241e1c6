import { allowanceOf, billOf, unitsOf } from "./costs/bill.ts";
import { withCountingPlatform } from "./costs/platform.ts";
import { type PricedThing, PRICES } from "./costs/prices.ts";
import type { ObjectSizes } from "./costs/sizes.ts";
import type { Measure } from "./costs/tally.ts";
import { httpWays, timerWay, type Way, workflowWays } from "./costs/ways.ts";
import { withReceiver } from "./delivery.ts";

/** Count an event's use of Cloudflare on each path, and print the price of a million events. Returns the counts. */
export async function measureCosts(): Promise<Way[]> {
  const ways = await countWays();
  printCounts(ways);
  printBills(ways);
  printAllowances(ways);
  return ways;
}

/** Count an event's use of Cloudflare on each path. Prints the storage of the objects of these events. */
export function countWays(): Promise<Way[]> {
  return withReceiver((receiving) =>
    withCountingPlatform(async (platform) => {
      const counted = [
        ...(await httpWays({ platform, ...receiving }, platform)),
        await timerWay(platform),
        ...(await workflowWays(platform)),
      ];
      printSizes(await platform.sizes());
      return counted;
    }),
  );
}

function printSizes(sizes: readonly ObjectSizes[]): void {
  console.log("\nStorage of the objects of these events:\n");
  console.log("| class | objects | smallest, KB | largest, KB |\n|---|---|---|---|");
  for (const { name, objects, fromKb, toKb } of sizes)
    printRow(name, [String(objects), fromKb.toFixed(0), toKb.toFixed(0)]);
}

function printCounts(ways: readonly Way[]): void {
  console.log("\nUsage of Cloudflare by one event, by path and events a second:\n");
  printHead("for each event", ways);
  printRow(
    "events counted",
    ways.map(({ events }) => String(events)),
  );
  const measures = new Set(ways.flatMap(({ perEvent }) => Object.keys(perEvent)));
  for (const what of [...measures].toSorted()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of counts are measures.
    const each = ways.map(({ perEvent }) => perEvent[what as Measure] ?? 0);
    if (each.some((count) => count >= 0.0005)) printRow(what, each.map(figure));
  }
  printRow(
    "CPU ms of the runtime",
    ways.map(({ cpuMs }) => cpuMs?.toFixed(1) ?? "unknown"),
  );
}

function printBills(ways: readonly Way[]): void {
  console.log("\nPrice of one million events, in US dollars, beyond the plans' allowances:\n");
  printHead("US dollars", ways);
  const bills = ways.map(({ perEvent, cpuMs }) => billOf(unitsOf(perEvent, cpuMs)));
  for (const [index, { thing }] of bills[0]?.lines.entries() ?? []) {
    const each = bills.map(({ lines }) => lines[index]?.usd ?? 0);
    if (each.some((usd) => usd >= 0.005)) printRow(nameOf(thing), each.map(dollars));
  }
  printRow(
    "in all",
    bills.map(({ usd }) => dollars(usd)),
  );
}

function printAllowances(ways: readonly Way[]): void {
  console.log("\nEvents a month that plans include, and the first exhausted allowance:\n");
  printHead("plan", ways);
  for (const plan of ["free", "paid"] as const)
    printRow(
      plan,
      ways.map(({ perEvent, cpuMs }) => {
        const { thing, events } = allowanceOf(unitsOf(perEvent, cpuMs), plan) ?? {};
        if (thing === undefined || events === undefined) return "any";
        return `${Math.round(events).toLocaleString("en")}: ${nameOf(thing)}`;
      }),
    );
}

function nameOf(thing: PricedThing): string {
  return PRICES[thing].name;
}

function figure(count: number): string {
  return count.toFixed(3);
}

function dollars(usd: number): string {
  return usd.toFixed(2);
}

function printHead(first: string, ways: readonly Way[]): void {
  printRow(
    first,
    ways.map(({ path, rate }) => `${path}, ${rate}`),
  );
  printRow(
    "---",
    ways.map(() => "---"),
  );
}

function printRow(first: string, cells: readonly string[]): void {
  console.log(`| ${[first, ...cells].join(" | ")} |`);
}

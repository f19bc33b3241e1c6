import { join } from "node:path";

import { allowanceOf, billOf, unitsOf, type Used } from "./costs/bill.ts";
import type { Way } from "./costs/counting.ts";
import { withFlush } from "./costs/flush.ts";
import { withCountingPlatform } from "./costs/platform.ts";
import { type PricedThing, PRICES } from "./costs/prices.ts";
import type { ObjectSizes } from "./costs/sizes.ts";
import { readCounts, storeCounts } from "./costs/stored.ts";
import type { Counts, Measure } from "./costs/tally.ts";
import { httpWays, QUICK, timerWay, WHOLE, workflowWays } from "./costs/ways.ts";
import { withReceiver } from "./delivery.ts";

/** The counts of docs/costs.md on 21 November 2026, when listeners and usage were in D1. */
const BEFORE = join(import.meta.dirname, "costs/counts-2026-11-21.json");

/** `isQuick`: count fewer events. `known`: the file with an earlier run's counts, in place of new ones. */
export type CountOptions = { isQuick: boolean; known?: string | undefined };

/**
 * Count an event's use of Cloudflare on each path, and print the price of a million events, also by the counts of an earlier run
 * in the file `before`. Returns the counts.
 */
export async function measureCosts(options: CountOptions, before = BEFORE): Promise<Way[]> {
  const ways = await countWays(options);
  const totals = ways.map((way): Total => ({ ...way, counts: withFlush(way) }));
  printCounts(totals);
  printBills(totals);
  printComparison(totals, await readCounts(before));
  printAllowances(totals);
  return ways;
}

/** Count an event's use of Cloudflare on each path, and print the storage of the objects of these events. */
export async function countWays({ isQuick, known }: CountOptions): Promise<Way[]> {
  if (known !== undefined) return readCounts(known);
  const extent = isQuick ? QUICK : WHOLE;
  const ways = await withReceiver((receiving) =>
    withCountingPlatform(async (platform) => {
      const counted = [
        ...(await httpWays(receiving, platform, extent)),
        await timerWay(platform, extent),
        ...(await workflowWays(platform, extent)),
      ];
      printSizes(await platform.sizes());
      return counted;
    }),
  );
  await storeCounts(ways);
  return ways;
}

/** A path with the usage of one event, its share of the writes to D1 included. */
type Total = Way & { counts: Counts };

function printSizes(sizes: readonly ObjectSizes[]): void {
  console.log("\nStorage of the objects of these events:\n");
  console.log("| class | objects | smallest, KB | largest, KB |\n|---|---|---|---|");
  for (const { name, objects, fromKb, toKb } of sizes)
    printRow(name, [String(objects), fromKb.toFixed(0), toKb.toFixed(0)]);
}

function printCounts(ways: readonly Total[]): void {
  console.log(`
Usage of Cloudflare by one event, by path and events a second, with its share of the write of usage to D1:
`);
  printHead("for each event", ways);
  printRow(
    "events counted",
    ways.map(({ events }) => String(events)),
  );
  const measures = new Set(ways.flatMap(({ counts }) => Object.keys(counts)));
  for (const what of [...measures].toSorted()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of counts are measures.
    const each = ways.map(({ counts }) => counts[what as Measure] ?? 0);
    if (each.some((count) => count >= 0.0005)) printRow(what, each.map(figure));
  }
  printRow(
    "CPU ms of the runtime",
    ways.map(({ cpuMs }) => cpuMs?.toFixed(1) ?? "unknown"),
  );
}

function printBills(ways: readonly Total[]): void {
  console.log("\nPrice of one million events, in US dollars, beyond the plans' allowances:\n");
  printHead("US dollars", ways);
  const bills = ways.map((way) => billOf(usedBy(way)));
  for (const [index, { thing }] of bills[0]?.lines.entries() ?? []) {
    const each = bills.map(({ lines }) => lines[index]?.usd ?? 0);
    if (each.some((usd) => usd >= 0.005)) printRow(nameOf(thing), each.map(dollars));
  }
  printRow(
    "in all",
    bills.map(({ usd }) => dollars(usd)),
  );
}

/** Paths of both runs: rows written, and the price with and without CPU, which depends on the machine. */
function printComparison(ways: readonly Total[], earlier: readonly Way[]): void {
  const pairs = ways.flatMap((now) => {
    const before = earlier.find(({ path, rate }) => path === now.path && rate === now.rate);
    return before ? [{ before: { ...before, counts: withFlush(before) }, now }] : [];
  });
  console.log("\nOne million events, earlier and now:\n");
  printHead(
    "for a million events",
    pairs.map(({ now }) => now),
  );
  const rowsOf = (way: Total) => usedBy(way).objectRowsWritten + usedBy(way).d1RowsWritten;
  const figures: [string, (way: Total) => number][] = [
    ["rows written, million", rowsOf],
    ["US dollars", (way) => billOf(usedBy(way)).usd],
    ["US dollars, without CPU", (way) => billOf({ ...usedBy(way), cpuMs: 0 }).usd],
  ];
  for (const [name, figureOf] of figures)
    for (const side of ["before", "now"] as const)
      printRow(
        `${name}, ${side}`,
        pairs.map((pair) => dollars(figureOf(pair[side]))),
      );
}

function usedBy({ counts, cpuMs }: Total): Used {
  return unitsOf(counts, cpuMs);
}

function printAllowances(ways: readonly Total[]): void {
  console.log("\nEvents a month that plans include, and the first exhausted allowance:\n");
  printHead("plan", ways);
  for (const plan of ["free", "paid"] as const)
    printRow(
      plan,
      ways.map((way) => {
        const { thing, events } = allowanceOf(usedBy(way), plan) ?? {};
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

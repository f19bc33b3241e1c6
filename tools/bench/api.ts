import type { DatabaseSync } from "node:sqlite";

import { call, deploy } from "../scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { median, percentile } from "./statistics.ts";
import { changeDirectory, componentCode, withFolder } from "./targets.ts";

const SOURCES = 100_000;
const CALLS_A_ROUND = 100;

/** A measured call of the API. */
type Call = { name: string; method: string; path: string; body?: object };

/** The results of a call in one round. */
type Sample = { p50Ms: number; p99Ms: number; roundTrips: number };

/** Measure the response times of the API, on a platform whose user has very many sources. */
export function measureApi(rounds: number): Promise<void> {
  return withFolder(async (stateDir) => {
    const empty = await startPlatform({ stateDir });
    await empty.stop();
    await changeDirectory(stateDir, insertSources);
    // The rate limit counts every request, as in production, but rejects none.
    const variables = { RATE_LIMIT: "1000000" };
    const platform = await startPlatform({ stateDir, variables });
    try {
      await compareCalls(platform, rounds);
    } finally {
      await platform.stop();
    }
  });
}

type PageInfo = { start_cursor: string | null; end_cursor: string | null };

/** The cursor before the last ten sources. */
async function cursorOfLastPage(platform: RunningPlatform): Promise<string> {
  const infoOf = async (query: string): Promise<PageInfo> => {
    const headers = { authorization: `Bearer ${platform.apiKey}` };
    const response = await fetch(`${platform.url}/users/me/sources?${query}`, { headers });
    const { page_info: info }: { page_info: PageInfo } = JSON.parse(await response.text());
    return info;
  };
  let end = (await infoOf("limit=100")).end_cursor;
  for (let next = end; next !== null; next = (await infoOf(`limit=100&after=${next}`)).end_cursor)
    end = next;
  return (await infoOf(`limit=10&before=${end}`)).start_cursor ?? "";
}

async function compareCalls(platform: RunningPlatform, rounds: number): Promise<void> {
  const code = await componentCode("stateless");
  const { id } = await deploy(platform, code);
  const component = await call<{ id: string }>(platform, "/components", { component_code: code });
  const last = await cursorOfLastPage(platform);
  const calls: Call[] = [
    { name: "key and user", method: "GET", path: "/users/me" },
    { name: "key and one source", method: "GET", path: `/sources/${id}` },
    { name: "first page", method: "GET", path: "/users/me/sources?limit=10" },
    { name: "last page", method: "GET", path: `/users/me/sources?limit=10&after=${last}` },
    {
      name: "create a webhook",
      method: "POST",
      path: "/webhooks",
      body: { url: "http://a.example" },
    },
    {
      name: "create a source",
      method: "POST",
      path: "/sources",
      body: { component_id: component.id },
    },
  ];
  const samples = calls.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, one] of calls.entries()) {
      const sample = await measure(platform, one);
      // The first round is a warm-up.
      if (round > 0) samples[index]?.push(sample);
    }
  report(calls, samples);
}

function report(calls: readonly Call[], samples: readonly Sample[][]): void {
  console.log(`A user with ${SOURCES.toLocaleString("en")} sources, one call at a time:\n`);
  console.log("| call | p50 ms | p99 ms | D1 round trips |\n|---|---|---|---|");
  for (const [index, { name }] of calls.entries()) {
    const of = (pick: (sample: Sample) => number) => median((samples[index] ?? []).map(pick));
    const times = [of(({ p50Ms }) => p50Ms), of(({ p99Ms }) => p99Ms)].map((ms) => ms.toFixed(1));
    console.log(`| ${[name, ...times, of(({ roundTrips }) => roundTrips)].join(" | ")} |`);
  }
  const [first = [], last = []] = [samples[2], samples[3]];
  const ratio = median(last.map(({ p50Ms }, round) => p50Ms / (first[round]?.p50Ms ?? 0)));
  console.log(`\nThe last page takes ${ratio.toFixed(2)} times as long as the first.`);
}

async function measure(platform: RunningPlatform, one: Call): Promise<Sample> {
  const times: number[] = [];
  let roundTrips = 0;
  for (let made = 0; made < CALLS_A_ROUND; made += 1) {
    const startedAtMs = performance.now();
    const response = await fetch(`${platform.url}${one.path}`, {
      method: one.method,
      headers: {
        authorization: `Bearer ${platform.apiKey}`,
        "content-type": "application/json",
      },
      ...(one.body && { body: JSON.stringify(one.body) }),
    });
    await response.arrayBuffer();
    times.push(performance.now() - startedAtMs);
    if (!response.ok) throw new Error(`${one.name} returned ${response.status}`);
    const timing = response.headers.get("server-timing") ?? "";
    roundTrips = Math.max(roundTrips, Number(/d1;desc="(\d+)"/.exec(timing)?.[1]));
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), roundTrips };
}

/** Give the user `dev` sources, as rows alone: lists read nothing else. */
function insertSources(db: DatabaseSync): void {
  db.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${SOURCES})
    INSERT INTO sources (id, owner_id, user_id, component_id, name, name_slug, active, state,
      shown_props, endpoints, created_at, updated_at)
    SELECT 'dc_' || hex(randomblob(11)), users.id, users.id, 'sc_bench', 'Source ' || n, 'source-' || n,
      1, 'live', '{"shop":"books","limit":10}', '{"http":"' || hex(randomblob(22)) || '"}', n, n
    FROM numbers, users WHERE users.username = 'dev'`);
}

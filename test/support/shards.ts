import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { shardName } from "#domain/source-shards.ts";

import { signUp } from "./client.ts";
import { sendJson } from "./deploy.ts";
import { runsCommitted, storedEvents } from "./source-tables.ts";

/** Emits, logs, and fails on request. */
export const ECHO = `export default { name: "Echo", version: "1", props: { http: "$.interface.http" },
  run({ body }) {
    console.log("got", body.n);
    if (body.fail) throw new Error("failed " + body.n);
    this.$emit(body, { id: body.n, summary: "first" });
  } }`;

/** A source of a client, with its endpoint. */
export type Deployed = Awaited<ReturnType<typeof deploySharded>>;

/** Requests that reach each of four shards, but for one of 250,000 times. */
export const MANY = 48;

export async function deploySharded(shards: number, component_code = ECHO) {
  const ada = await signUp();
  const { body, status } = await ada.post("/sources", { component_code, shards });
  expect({ status, shards: body.data?.shards }).toEqual({ status: 200, shards });
  const url = String(body.data.configured_props["http"]?.endpoint_url);
  return { ada, id: String(body.data.id), url };
}

export async function update({ ada, id }: Pick<Deployed, "ada" | "id">, change: object) {
  const { status, body } = await ada.put(`/sources/${id}`, change);
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return body.data;
}

/** The object of a shard. */
export function objectOf(id: string, shard: number) {
  return env.SOURCES.getByName(shardName(id, shard));
}

/** Send events and return the statuses. The first one goes alone: its response has the number of shards. */
export async function sendMany(url: string, from: number, count: number, more: object = {}) {
  const first = await sendJson(url, { n: from, ...more });
  const rest = numbers(from + 1, count - 1);
  const responses = await Promise.all(rest.map((n) => sendJson(url, { n, ...more })));
  return new Set([first, ...responses].map(({ status }) => status));
}

/** Wait for the runs of all shards. */
async function untilIdle(id: string): Promise<void> {
  for (const shard of [0, 1, 2, 3]) await runsCommitted(shardName(id, shard));
}

/** The events of a source, or of one channel of it. */
export async function listed({ ada, id }: Pick<Deployed, "ada" | "id">, channel = "") {
  await untilIdle(id);
  const { body } = await ada.get(`/sources/${id}${channel}/event_summaries?limit=100`);
  return body.data as { id: string; event: { n: number }; metadata: { id: string } }[];
}

export const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => from + n);

export const sorted = (list: readonly number[]) => list.toSorted((a, b) => a - b);

/** The number of events in the storage of a shard; undefined: it has none. */
export async function rowsOf(id: string, shard: number): Promise<number | undefined> {
  await runsCommitted(shardName(id, shard));
  return storedEvents(objectOf(id, shard));
}

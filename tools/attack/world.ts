import { setTimeout as wait } from "node:timers/promises";

import type { Id } from "#domain/ids.ts";

import type { RunningPlatform } from "../scripts/platform.ts";

/** The timeout of one request. */
const PATIENCE_MS = 40_000;

/** A response of the platform. */
export type ApiResponse = { status: number; headers: Headers; text: string; data: Data };

// oxlint-disable-next-line typescript/no-explicit-any -- attacks read responses of every shape.
type Data = any;

/** A user with an API key. */
export type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** An attempt that must fail. */
export type Attack = { name: string; run: (world: World) => Promise<void> };

/** A running platform, as an attacker sees it. */
export type World = { platform: RunningPlatform; origin: string; stateDir: string };

/** Throws, with the failure's description, unless the condition holds. */
export function hold(held: unknown, otherwise: string): asserts held {
  if (!held) throw new Error(otherwise);
}

/** Wait for a condition; throws, with the failure's description, on a timeout. */
export async function holdWithin(
  ms: number,
  check: () => Promise<unknown>,
  otherwise: string,
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await check())) {
    hold(performance.now() < deadline, otherwise);
    await wait(100);
  }
}

export async function send(
  url: string,
  { method = "GET", body, headers = {} }: SendOptions = {},
): Promise<ApiResponse> {
  const isJson = body !== undefined && typeof body !== "string";
  const response = await fetch(url, {
    method,
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, data: dataIn(text) };
}

type SendOptions = { method?: string; body?: unknown; headers?: Record<string, string> };

function dataIn(text: string): Data {
  try {
    return JSON.parse(text).data;
  } catch {
    return undefined;
  }
}

/** Call the operator API, again after the seconds for which guesses of its token from this address are refused. */
export async function operate(
  { platform, origin }: World,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse> {
  const headers = { authorization: `Bearer ${platform.adminToken}` };
  for (;;) {
    const response = await send(`${origin}/admin${path}`, { method, body, headers });
    if (response.status !== 429) return response;
    await wait(1000 * Number(response.headers.get("retry-after") ?? 1));
  }
}

/** Create a user. The API returns a user's daily number of runs on the free plan alone. */
export async function newTenant(world: World, plan: "free" | "paid" = "paid") {
  const name = `t${crypto.randomUUID().slice(0, 8)}`;
  const fields = { username: name, email: `${name}@example.com`, plan };
  const { data, text } = await operate(world, "POST", "/users", fields);
  hold(data?.api_key, `The API created no user: ${text}`);
  const key: string = data.api_key;
  const headers = { authorization: `Bearer ${key}` };
  const call = (method: string, path: string, body?: unknown) =>
    send(`${world.origin}/v1${path}`, { method, body, headers });
  const id: Id<"user"> = data.id;
  return { id, key, headers, call };
}

/** Create a workspace of these users. */
export async function newWorkspace(world: World, ...members: Tenant[]): Promise<string> {
  const fields = { orgname: "engines", name: "Engines", email: "engines@example.com" };
  const { data } = await operate(world, "POST", "/workspaces", fields);
  for (const { id } of members) await operate(world, "PUT", `/workspaces/${data.id}/members/${id}`);
  return data.id;
}

/** Deploy a component; throws if the platform rejects it. */
export async function deploy(tenant: Tenant, code: string, more: object = {}) {
  const { data, text } = await tenant.call("POST", "/sources", { component_code: code, ...more });
  hold(data?.id, `The API deployed no source: ${text.slice(0, 300)}`);
  const id: string = data.id;
  const url: string = data.configured_props?.http?.endpoint_url ?? "";
  return { id, url };
}

/** A source with an endpoint and this body of `run`. */
export function endpoint(body: string, { imports = "", isCustom = false } = {}): string {
  const http = isCustom
    ? `{ type: "$.interface.http", customResponse: true }`
    : `"$.interface.http"`;
  return `${imports}
export default { name: "Attack", version: "0.0.1", props: { http: ${http} }, async run(event) { ${body} } };`;
}

/** The events of a source or workflow, newest first. */
export async function eventsOf(tenant: Tenant, id: string, query = ""): Promise<Data[]> {
  const kind = id.startsWith("p_") ? "workflows" : "sources";
  const path = `/${kind}/${id}/event_summaries?expand=event&limit=100${query}`;
  const { status, data, text } = await tenant.call("GET", path);
  hold(status === 200, `Reading the events got ${status} ${text.slice(0, 200)}`);
  return data;
}

/** Wait for a healthy platform: other attacks run in parallel, and a compiler that they crashed restarts. */
async function isWell(world: World): Promise<void> {
  const isHealthy = async () => (await send(`${world.origin}/health`)).status === 200;
  await holdWithin(15_000, isHealthy, "/health reports a failed dependency");
}

/** The longest time that another tenant's endpoint may take to respond while some work is under way. */
const MAX_RESPONSE_MS = 1000;

const PING_INTERVAL_MS = 50;

/** Checks that another tenant's endpoint responds all the time while some work is under way. */
export async function holdsEndpoint<T>(world: World, work: Promise<T>): Promise<T> {
  const { url } = await deploy(await newTenant(world), endpoint("this.$emit({})"));
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  over.catch(() => {});
  while (!state.isOver) {
    const startMs = performance.now();
    const { status } = await send(url, { method: "POST", body: {} });
    const ms = performance.now() - startMs;
    hold(status === 200, `Another tenant's endpoint returned ${status}`);
    hold(ms < MAX_RESPONSE_MS, `Another tenant's endpoint took ${ms.toFixed(0)} ms`);
    await wait(PING_INTERVAL_MS);
  }
  return over;
}

/** Checks that the platform serves another tenant at once. */
export async function holdsService(world: World): Promise<void> {
  await isWell(world);
  const other = await newTenant(world);
  const source = await deploy(other, endpoint("this.$emit({ ok: true })"));
  const { status } = await send(source.url, { method: "POST", body: {} });
  hold(status === 200, `Another tenant's endpoint returned ${status}`);
  const isThere = async () => (await eventsOf(other, source.id)).length === 1;
  await holdWithin(5000, isThere, "Another tenant's event is lost");
}

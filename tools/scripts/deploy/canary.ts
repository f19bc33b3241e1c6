import { errorMessage } from "#domain/errors.ts";

import { Refusal } from "../local/refusal.ts";
import { readSecrets, type Secrets, writeSecrets } from "./secrets.ts";

/** The function that sends requests to the deployed platform; tests replace it by a local one. */
export type Reach = typeof fetch;

/** The maximum wait for a new hostname's first response, and for an event or a place that does not know the name yet. */
export type Timeouts = { healthMs: number; eventMs: number; pollMs: number };
export const TIMEOUTS: Timeouts = { healthMs: 180_000, eventMs: 60_000, pollMs: 1000 };

/** A deployed platform, and the settings of its checks. */
export type Deployed = { origin: string; release: string; reach: Reach; timeouts: Timeouts };

type Health = { status?: string; release?: string; checks?: Record<string, string> };

/** Both sources run it: the first gets the request, the second the first one's event. */
const COMPONENT = `export default {
  key: "wellspring-canary", name: "Canary", version: "0.0.1",
  props: { http: "$.interface.http" },
  run(event) { this.$emit({ canary: (event.body ?? event).canary }); },
};`;

const COMPONENT_PATH = "/v1/components/wellspring-canary";

/** The error that the unsaved code throws. */
const SONG = "This is the canary";

/** Wait until the release responds and reports all its bindings as healthy. */
export async function checkHealth({ origin, release, reach, timeouts }: Deployed): Promise<void> {
  const deadline = Date.now() + timeouts.healthMs;
  let lastResponse = "nothing";
  for (;;) {
    const { status, text } = await request(reach, `${origin}/health`);
    const health = healthOf(text);
    if (status === 200 && health?.release === release) return;
    lastResponse =
      status === 200 ? `release ${health?.release}` : `${status} ${text.slice(0, 500)}`;
    if (Date.now() > deadline) break;
    await pause(timeouts.pollMs);
  }
  throw new Refusal(
    `${origin}/health does not report release ${release} as healthy; it returned: ${lastResponse}\n` +
      `Read its logs with: npx wrangler tail, and roll back with: npx wrangler rollback.`,
  );
}

/**
 * Send an event through two sources and the queue between them, and delete the created resources, except for the user
 * `canary` and its component, which the next canary reuses.
 */
export async function checkCanary(deployed: Deployed, file: string, known: Secrets): Promise<void> {
  const key = await canaryKey(deployed, file, known);
  const api = clientOf(deployed, key);
  // An interrupted canary left its sources.
  await removeSources(api);
  try {
    await sendThrough(deployed, await componentOf(deployed, key, api), api);
  } catch (error) {
    await removeSources(api).catch(() => {});
    throw error;
  }
  await removeSources(api);
}

async function sendThrough(deployed: Deployed, component_id: string, api: Client): Promise<void> {
  const first = await api<Source>("POST", "/v1/sources", { component_id });
  const second = await api<Source>("POST", "/v1/sources", { component_id });
  await api("POST", "/v1/subscriptions", { emitter_id: first.id, listener_id: second.id });
  await send(deployed, first.configured_props["http"]?.endpoint_url ?? "");
  await untilArrived(deployed, () =>
    api("GET", `/v1/sources/${second.id}/event_summaries?limit=1`),
  );
}

/** The canary's component, which is saved once: components cannot be deleted. */
async function componentOf(deployed: Deployed, key: string, api: Client): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const { status, text } = await requestByName(deployed, COMPONENT_PATH, { headers });
  const saved: { id: string; code: string } | undefined =
    status === 200 ? JSON.parse(text).data : undefined;
  if (saved?.code !== COMPONENT)
    return (await api<{ id: string }>("POST", "/v1/components", { component_code: COMPONENT })).id;
  await checkBundling(deployed, key);
  return saved.id;
}

/** The platform bundles and runs code that throws on evaluation like any other, and stores nothing. */
async function checkBundling(deployed: Deployed, key: string): Promise<void> {
  const { status, text } = await requestByName(deployed, "/v1/components", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ component_code: `throw new Error("${SONG}");` }),
  });
  if (status !== 422 || !text.includes(SONG)) throw failed("POST /v1/components", status, text);
}

async function removeSources(api: Client): Promise<void> {
  const sources = await api<Source[]>("GET", "/v1/users/me/sources?limit=100");
  for (const { id } of sources) await api("DELETE", `/v1/sources/${id}`);
}

async function canaryKey(deployed: Deployed, file: string, known: Secrets): Promise<string> {
  const kept = known["CANARY_API_KEY"];
  if (kept !== undefined) {
    const headers = { authorization: `Bearer ${kept}` };
    const { status } = await requestByName(deployed, "/v1/users/me", { headers });
    if (status === 200) return kept;
  }
  const operator = clientOf(deployed, known["ADMIN_TOKEN"] ?? "");
  const user = {
    username: "canary",
    email: `canary-${crypto.randomUUID()}@example.com`,
    plan: "free",
  };
  const { api_key: key } = await operator<{ api_key: string }>("POST", "/admin/users", user);
  await writeSecrets(file, { ...(await readSecrets(file)), CANARY_API_KEY: key });
  return key;
}

type Source = { id: string; configured_props: Record<string, { endpoint_url?: string }> };

/** Calls the deployed API and returns the `data` of its response; any status but a 2xx fails the canary. */
type Client = <T>(method: string, path: string, body?: object) => Promise<T>;

function clientOf(deployed: Deployed, token: string): Client {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const { status, text } = await requestByName(deployed, path, init);
    if (status < 200 || status > 299) throw failed(`${method} ${path}`, status, text);
    return text === "" ? undefined : JSON.parse(text).data;
  };
}

async function send(deployed: Deployed, endpoint: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ canary: 1 });
  const { status, text } = await requestByName(deployed, endpoint, {
    method: "POST",
    headers,
    body,
  });
  if (status !== 200) throw failed("its endpoint", status, text);
}

async function untilArrived({ timeouts }: Deployed, read: () => Promise<unknown[]>): Promise<void> {
  const deadline = Date.now() + timeouts.eventMs;
  while (!(await read()).length) {
    if (Date.now() > deadline)
      throw failed("the second source", 0, "no event arrived through the queue");
    await pause(timeouts.pollMs);
  }
}

function failed(what: string, status: number, text: string): Refusal {
  return new Refusal(
    `The canary failed: ${what} returned ${status || "nothing"}: ${text.slice(0, 500)}\n` +
      `The new release is deployed all the same; roll back with: npx wrangler rollback.`,
  );
}

/** A request, repeated while it reaches a place of Cloudflare's that does not know the platform's new name yet. */
async function requestByName(
  { origin, reach, timeouts }: Deployed,
  path: string,
  init: RequestInit,
): ReturnType<typeof request> {
  const deadline = Date.now() + timeouts.eventMs;
  for (;;) {
    const response = await request(reach, new URL(path, origin).href, init);
    if (!isUnknownName(response) || Date.now() > deadline) return response;
    await pause(timeouts.pollMs);
  }
}

/** Whether a response is of Cloudflare itself, for a name that no Worker has: the platform answers 404 in JSON. */
function isUnknownName({ status, text }: { status: number; text: string }): boolean {
  return (status === 404 && !text.startsWith("{")) || text.includes("error code: 1042");
}

/** Status 0: no connection. */
async function request(
  reach: Reach,
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  try {
    const response = await reach(url, { signal: AbortSignal.timeout(30_000), ...init });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: errorMessage(error) };
  }
}

function healthOf(text: string): Health | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

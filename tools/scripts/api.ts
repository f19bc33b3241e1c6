import type { RunningPlatform } from "./platform.ts";

/** The first build of a platform loads the compiler, which takes long on a busy machine. */
const TIMEOUT_MS = 120_000;

/** The caller of the API, and its URL. */
export type Caller = Pick<RunningPlatform, "url" | "apiKey">;

/** A deployed source, with the fields that our scripts read. */
export type DeployedSource = {
  id: string;
  configured_props: Record<string, { endpoint_url?: string } | undefined>;
};

/** One event summary. */
export type Summary = {
  id: string;
  event: Record<string, unknown>;
  metadata: { summary?: string };
};

/** Call the v1 API; any status but a 2xx throws, with the API's message. */
export async function call<T>(
  caller: Caller,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<T> {
  const response = await fetch(`${caller.url}${path}`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    method,
    headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  const answer: { data: T } = JSON.parse(text);
  return answer.data;
}

/** Post to an operation whose response has no `data` envelope. */
export async function postUnwrapped<T>(
  { url, apiKey }: Caller,
  path: string,
  body: object,
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Deploy component code as a source. */
export function deploy(caller: Caller, code: string, name?: string): Promise<DeployedSource> {
  return call(caller, "/sources", { component_code: code, ...(name ? { name } : {}) });
}

/** The source's last events with all their data, newest first. */
export function eventsOf(caller: Caller, { id }: DeployedSource): Promise<Summary[]> {
  return call(caller, `/sources/${id}/event_summaries?expand=event&limit=100`);
}

/** The URL of the source's HTTP interface. */
export function endpointOf({ id, configured_props: props }: DeployedSource, prop = "http"): string {
  const url = props[prop]?.endpoint_url;
  if (!url) throw new Error(`Source ${id} has no endpoint`);
  return url;
}

/** A deployed workflow, with the fields that our scripts read. */
export type DeployedWorkflow = { id: string; trigger: { endpoint_url: string } };

/** One run of a workflow, with the fields that our scripts read. */
export type Run = {
  id: string;
  state: string;
  queued_at_ms: number;
  ended_at_ms: number | null;
  steps: { name: string; exports: Record<string, unknown> }[];
};

/** Deploy inline code, step by step, as a workflow of the user `dev` with an HTTP trigger. */
export async function deployWorkflow(
  platform: Caller & Pick<RunningPlatform, "adminToken">,
  codes: readonly string[],
): Promise<DeployedWorkflow> {
  const { id: owner_id } = await call<{ id: string }>(platform, "/users/me");
  const steps = codes.map((component_code, index) => ({ name: `step_${index}`, component_code }));
  const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
  const fields = { owner_id, name: "Scripted", trigger: { type: "http" }, steps };
  return call(operator, "/workflows", fields);
}

/** One run of a workflow with its steps. */
export function runOf(caller: Caller, { id }: DeployedWorkflow, run: string): Promise<Run> {
  return call(caller, `/workflows/${id}/runs/${run}`);
}

/** Trigger a workflow that does not respond, and wait for the end of its run. */
export async function runToEnd(caller: Caller, workflow: DeployedWorkflow): Promise<Run> {
  const response = await fetch(workflow.trigger.endpoint_url, { method: "POST", body: "{}" });
  const { run_id: id }: { run_id: string } = JSON.parse(await response.text());
  for (;;) {
    const run = await runOf(caller, workflow, id);
    if (run.ended_at_ms !== null) return run;
    await new Promise((done) => setTimeout(done, 5));
  }
}

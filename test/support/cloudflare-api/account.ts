import { problemOf } from "./bindings.ts";
import { created, added, fields } from "./resources.ts";
import {
  type ApiAnswer,
  type ApiCall,
  type ApiServer,
  refusal,
  type Route,
  serveApi,
} from "./server.ts";
import { type DeployedWorker, readUpload, type Upload } from "./worker.ts";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";
export const TOKEN = "token-of-the-operator";

/** A Cloudflare account that keeps what it is told, checks it, and runs the Worker that is uploaded to it. */
export type CloudflareAccount = ApiServer & {
  databases: Map<string, string>;
  buckets: Set<string>;
  /** Workers that scripts of a namespace reach the network through. */
  outbounds: Set<string>;
  queues: Map<string, string>;
  namespaces: Set<string>;
  subdomain: { name: string | null };
  worker: DeployedWorker;
  /** Reaches what is deployed, by any hostname. */
  reach: typeof fetch;
};

type Options = { dispatch: boolean; worker: DeployedWorker };

/** Start an empty account. `dispatch`: it has Workers for Platforms. */
export async function openCloudflare({ dispatch, worker }: Options): Promise<CloudflareAccount> {
  const state = {
    databases: new Map<string, string>(),
    buckets: new Set<string>(),
    queues: new Map<string, string>(),
    namespaces: new Set<string>(),
    outbounds: new Set<string>(),
    subdomain: { name: null as string | null },
    worker,
  };
  const routes = [
    ...accountRoutes(state),
    ...storageRoutes(state),
    ...queueRoutes(state),
    ...namespaceRoutes(state, dispatch),
    ...scriptRoutes(state),
  ];
  const server = await serveApi(TOKEN, routes);
  return { ...server, ...state, reach: (url, init) => worker.fetch(new Request(url).url, init) };
}

type State = Pick<
  CloudflareAccount,
  "databases" | "buckets" | "queues" | "namespaces" | "outbounds" | "subdomain" | "worker"
>;

const BASE = `/accounts/${ACCOUNT}`;

function accountRoutes({ subdomain }: State): Route[] {
  return [
    ["GET /accounts", () => ({ result: [{ id: ACCOUNT, name: "Engines" }] })],
    ["GET /user", () => ({ result: { id: "user", email: "ada@example.com" } })],
    ["GET /memberships", () => ({ result: [{ account: { id: ACCOUNT, name: "Engines" } }] })],
    [
      `GET ${BASE}/workers/subdomain`,
      () =>
        subdomain.name === null
          ? refusal(404, 10_007, "This account has no workers.dev subdomain")
          : { result: { subdomain: subdomain.name } },
    ],
    [
      `PUT ${BASE}/workers/subdomain`,
      async ({ request }) => {
        subdomain.name = (await fields<{ subdomain: string }>(request)).subdomain;
        return { result: { subdomain: subdomain.name } };
      },
    ],
  ];
}

function storageRoutes({ databases, buckets, worker }: State): Route[] {
  return [
    [
      `GET ${BASE}/d1/database`,
      ({ query }) => ({
        result: [...databases]
          .filter(([name]) => name.includes(query.get("name") ?? ""))
          .map(([name, uuid]) => ({ name, uuid })),
      }),
    ],
    [`POST ${BASE}/d1/database`, ({ request }) => created(request, databases, "name", "uuid")],
    [
      `GET ${BASE}/d1/database/:uuid`,
      ({ params }) => {
        const found = [...databases].find(([, uuid]) => uuid === params["uuid"]);
        return found ? { result: { name: found[0], uuid: found[1] } } : refusal(404, 7404);
      },
    ],
    [
      `POST ${BASE}/d1/database/:uuid/query`,
      async ({ params, request }) => {
        if (![...databases.values()].includes(params["uuid"] ?? "")) return refusal(404, 7404);
        const { sql } = await fields<{ sql: string }>(request);
        return { result: await worker.query(sql) };
      },
    ],
    [
      `GET ${BASE}/r2/buckets/:name`,
      ({ params }) =>
        buckets.has(params["name"] ?? "")
          ? { result: { name: params["name"] } }
          : refusal(404, 10_006, "The specified bucket does not exist."),
    ],
    [`POST ${BASE}/r2/buckets`, ({ request }) => added(request, buckets)],
  ];
}

function queueRoutes({ queues, worker }: State): Route[] {
  const consumersOf = (name: string) =>
    worker.consumed.has(name) ? [{ consumer_id: name, type: "worker", script: "wellspring" }] : [];
  return [
    [
      `GET ${BASE}/queues`,
      ({ query }) => ({
        result: [...queues]
          .filter(([name]) => name === (query.get("name") ?? name))
          .map(([name, id]) => ({
            queue_name: name,
            queue_id: id,
            producers: [],
            consumers: consumersOf(name),
          })),
      }),
    ],
    [`POST ${BASE}/queues`, ({ request }) => created(request, queues, "queue_name", "queue_id")],
    [
      `POST ${BASE}/queues/:id/consumers`,
      async ({ params, request }) => {
        const [name] = [...queues].find(([, id]) => id === params["id"]) ?? [];
        const { dead_letter_queue: dead } = await fields<{ dead_letter_queue?: string }>(request);
        if (name === undefined || (dead !== undefined && !queues.has(dead)))
          return refusal(404, 11_000, "Queue not found");
        worker.consumed.add(name);
        worker.change();
        return { result: { consumer_id: name } };
      },
    ],
    [`PUT ${BASE}/queues/:id/consumers/:consumer`, () => ({ result: {} })],
  ];
}

function namespaceRoutes({ namespaces }: State, dispatch: boolean): Route[] {
  const guarded = (answer: (call: ApiCall) => ApiAnswer | Promise<ApiAnswer>) => (call: ApiCall) =>
    dispatch
      ? answer(call)
      : refusal(403, 10_121, "You do not have access to dispatch namespaces.");
  return [
    [
      `GET ${BASE}/workers/dispatch/namespaces`,
      guarded(() => ({ result: [...namespaces].map((name) => ({ namespace_name: name })) })),
    ],
    [
      `GET ${BASE}/workers/dispatch/namespaces/:name`,
      guarded(({ params }) =>
        namespaces.has(params["name"] ?? "")
          ? { result: { namespace_name: params["name"] } }
          : refusal(404, 100_119, "Dispatch namespace not found."),
      ),
    ],
    [
      `POST ${BASE}/workers/dispatch/namespaces`,
      guarded(({ request }) => added(request, namespaces)),
    ],
  ];
}

function scriptRoutes(state: State): Route[] {
  const { worker } = state;
  const { secrets } = worker;
  const unlessMissing =
    (answer: () => ApiAnswer) =>
    ({ params }: ApiCall) =>
      (isOutbound(params["name"]) ? state.outbounds.has(params["name"] ?? "") : worker.upload)
        ? answer()
        : refusal(404, 10_007, "This Worker does not exist on your account.");
  const script = `${BASE}/workers/scripts/:name`;
  return [
    [
      `GET ${script}/settings`,
      unlessMissing(() => ({ result: { bindings: shown(worker.upload, secrets) } })),
    ],
    [
      `GET ${script}/secrets`,
      unlessMissing(() => ({
        result: [...secrets.keys()].map((name) => ({ name, type: "secret_text" })),
      })),
    ],
    [`GET ${BASE}/workers/services/:name`, unlessMissing(() => ({ result: SERVICE }))],
    [
      `PUT ${script}`,
      async ({ request, params }) =>
        isOutbound(params["name"])
          ? takeOutbound(state, params["name"] ?? "", request)
          : deploy(state, request),
    ],
    [
      `GET ${BASE}/workers/workers/:name`,
      () => ({
        result: {
          id: "id",
          name: "wellspring",
          subdomain: { enabled: true, previews_enabled: false },
        },
      }),
    ],
    [`POST ${script}/subdomain`, () => ({ result: { enabled: true, previews_enabled: false } })],
    [`GET ${script}/subdomain`, () => ({ result: { enabled: true, previews_enabled: false } })],
    [`PUT ${script}/schedules`, () => ({ result: { schedules: [] } })],
    [`GET ${BASE}/workflows/:name`, () => refusal(404, 10_200, "workflow.not_found")],
    [`PUT ${BASE}/workflows/:name`, () => ({ result: { id: "workflow", name: "runs" } })],
    [`GET ${script}/deployments`, () => ({ result: { deployments: [] } })],
  ];
}

const SERVICE = {
  default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } },
};

function isOutbound(name = ""): boolean {
  return name.startsWith("wellspring-outbound");
}

async function takeOutbound(state: State, name: string, request: Request): Promise<ApiAnswer> {
  await readUpload(request);
  state.outbounds.add(name);
  return { result: { id: name, deployment_id: "d", startup_time_ms: 10 } };
}

async function deploy(state: State, request: Request): Promise<ApiAnswer> {
  const upload = await readUpload(request);
  const wrong = problemOf(upload, state);
  if (wrong) return refusal(400, 10_021, wrong);
  for (const { type, name, text } of upload.bindings)
    if (type === "secret_text") state.worker.secrets.set(name, text ?? "");
  state.worker.upload = upload;
  state.worker.change();
  return { result: { id: "wellspring", deployment_id: "d", startup_time_ms: 10 } };
}

function shown(upload: Upload | undefined, secrets: Map<string, string>) {
  const plain = (upload?.bindings ?? []).filter(({ type }) => type !== "secret_text");
  return [...plain, ...[...secrets.keys()].map((name) => ({ name, type: "secret_text" }))];
}

import { ApiError, type ApiServer, type Route, serveApi } from "./api.ts";
import { Namespaces } from "./namespaces.ts";
import { added, created, fieldsIn } from "./resources.ts";
import { scriptRoutes } from "./scripts.ts";
import { ACCOUNT_ID, BASE, TOKEN } from "./server.ts";
import { openTransfers } from "./transfers.ts";
import type { DeployedWorker } from "./worker.ts";

/** A Cloudflare account that keeps what it is told, checks it, and runs the Worker that is uploaded to it. */
export type CloudflareAccount = ApiServer & {
  /** Those that the token opens. */
  accounts: { id: string; name: string }[];
  databases: Map<string, string>;
  buckets: Set<string>;
  /** Workers that scripts of a namespace reach the network through. */
  outbounds: Set<string>;
  queues: Map<string, string>;
  namespaces: Namespaces;
  subdomain: { name: string | null };
  worker: DeployedWorker;
  /** Reaches what is deployed, by any hostname. */
  reach: typeof fetch;
};

type Options = { dispatch: boolean; worker: DeployedWorker };

/** Start an empty account. `dispatch`: it has Workers for Platforms. */
export async function openCloudflare({ dispatch, worker }: Options): Promise<CloudflareAccount> {
  const state = {
    accounts: [{ id: ACCOUNT_ID, name: "Engines" }],
    databases: new Map<string, string>(),
    buckets: new Set<string>(),
    queues: new Map<string, string>(),
    namespaces: new Namespaces(dispatch),
    outbounds: new Set<string>(),
    subdomain: { name: null as string | null },
    worker,
  };
  const transfers = await openTransfers(worker);
  const routes = [
    ...transfers.routes,
    ...accountRoutes(state),
    ...storageRoutes(state),
    ...queueRoutes(state),
    ...state.namespaces.routes(BASE),
    ...scriptRoutes(state),
  ];
  const server = await serveApi({ token: TOKEN, routes });
  const close = () => {
    transfers.close();
    server.close();
  };
  const reach: typeof fetch = (url, init) => worker.fetch(new Request(url).url, init);
  return { ...server, ...state, close, reach };
}

type State = Pick<
  CloudflareAccount,
  | "accounts"
  | "databases"
  | "buckets"
  | "queues"
  | "namespaces"
  | "outbounds"
  | "subdomain"
  | "worker"
>;

function accountRoutes({ accounts, subdomain }: State): Route[] {
  return [
    ["GET /accounts", () => ({ result: accounts })],
    ["GET /user", () => ({ result: { id: "user", email: "ada@example.com" } })],
    ["GET /memberships", () => ({ result: accounts.map((account) => ({ account })) })],
    [
      `GET ${BASE}/workers/subdomain`,
      () => {
        if (subdomain.name === null)
          throw new ApiError(404, 10_007, "This account has no workers.dev subdomain");
        return { result: { subdomain: subdomain.name } };
      },
    ],
    [
      `PUT ${BASE}/workers/subdomain`,
      ({ body }) => {
        subdomain.name = String(fieldsIn(body)["subdomain"]);
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
    [`POST ${BASE}/d1/database`, ({ body }) => created(body, databases, "name", "uuid")],
    [
      `GET ${BASE}/d1/database/:uuid`,
      ({ params }) => {
        const found = [...databases].find(([, uuid]) => uuid === params["uuid"]);
        if (!found) throw new ApiError(404, 7404, "Database not found");
        return { result: { name: found[0], uuid: found[1] } };
      },
    ],
    [
      `POST ${BASE}/d1/database/:uuid/query`,
      async ({ params, body }) => {
        if (![...databases.values()].includes(params["uuid"] ?? ""))
          throw new ApiError(404, 7404, "Database not found");
        const { sql } = fieldsIn(body);
        return { result: await worker.query(String(sql)) };
      },
    ],
    [
      `GET ${BASE}/r2/buckets/:name`,
      ({ params }) => {
        if (!buckets.has(params["name"] ?? ""))
          throw new ApiError(404, 10_006, "The specified bucket does not exist.");
        return { result: { name: params["name"] } };
      },
    ],
    [`POST ${BASE}/r2/buckets`, ({ body }) => added(body, buckets)],
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
    [`POST ${BASE}/queues`, ({ body }) => created(body, queues, "queue_name", "queue_id")],
    [
      `POST ${BASE}/queues/:id/consumers`,
      ({ params, body }) => {
        const [name] = [...queues].find(([, id]) => id === params["id"]) ?? [];
        const { dead_letter_queue: dead } = fieldsIn(body);
        if (name === undefined || (dead !== undefined && !queues.has(dead as string)))
          throw new ApiError(404, 11_000, "Queue not found");
        worker.consumed.add(name);
        worker.change();
        return { result: { consumer_id: name } };
      },
    ],
    [`PUT ${BASE}/queues/:id/consumers/:consumer`, () => ({ result: {} })],
  ];
}

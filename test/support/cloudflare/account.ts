import { ApiError, type ApiServer, type Route, serveApi } from "./api.ts";
import { Namespaces } from "./namespaces.ts";
import { added, created, fieldsIn } from "./resources.ts";
import { scriptRoutes } from "./scripts.ts";
import { ACCOUNT_ID, BASE, TOKEN } from "./server.ts";
import { openTransfers } from "./transfers.ts";
import { type DeployedWorker, newWorker } from "./worker.ts";

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
  /** The one of production. */
  worker: DeployedWorker;
  workerOf: (name: string) => DeployedWorker;
  /** Reaches what is deployed: production by any hostname but that of another under workers.dev. */
  reach: typeof fetch;
  stop: () => Promise<void>;
};

/** Start an empty account. `dispatch`: it has Workers for Platforms. */
export async function openCloudflare({ dispatch = true } = {}): Promise<CloudflareAccount> {
  const workers = new Map<string, DeployedWorker>();
  const workerOf = (name: string): DeployedWorker => {
    const worker = workers.get(name) ?? newWorker();
    workers.set(name, worker);
    return worker;
  };
  const state = {
    accounts: [{ id: ACCOUNT_ID, name: "Engines" }],
    databases: new Map<string, string>(),
    buckets: new Set<string>(),
    queues: new Map<string, string>(),
    namespaces: new Namespaces(dispatch),
    outbounds: new Set<string>(),
    subdomain: { name: null as string | null },
    worker: workerOf("wellspring"),
    workerOf,
  };
  const transfers = await openTransfers(state.worker);
  const routes = [
    ...transfers.routes,
    ...accountRoutes(state),
    ...storageRoutes(state),
    ...queueRoutes(state),
    ...state.namespaces.routes(BASE),
    ...scriptRoutes(state),
  ];
  const server = await serveApi({ token: TOKEN, routes });
  const reach: typeof fetch = (target, init) => {
    const { url } = new Request(target);
    const [, name = "wellspring"] = /^([^.]+)\..*\.workers\.dev$/.exec(new URL(url).hostname) ?? [];
    return workerOf(name).fetch(url, init);
  };
  const stop = async () => {
    for (const worker of workers.values()) await worker.stop();
    transfers.close();
    server.close();
  };
  return { ...server, ...state, reach, stop };
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
  | "workerOf"
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

function storageRoutes({ databases, buckets, workerOf }: State): Route[] {
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
        // A database has the name of the Worker that it is for, and is where that runs.
        const [name] = [...databases].find(([, uuid]) => uuid === params["uuid"]) ?? [];
        if (name === undefined) throw new ApiError(404, 7404, "Database not found");
        return { result: await workerOf(name).query(String(fieldsIn(body)["sql"])) };
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

function queueRoutes({ queues, workerOf }: State): Route[] {
  const consumers = new Map<string, string>();
  const consumersOf = (name: string) => {
    const script = consumers.get(name);
    return script === undefined ? [] : [{ consumer_id: name, type: "worker", script }];
  };
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
        const { dead_letter_queue: dead, script_name: script } = fieldsIn(body);
        if (name === undefined || (dead !== undefined && !queues.has(dead as string)))
          throw new ApiError(404, 11_000, "Queue not found");
        if (typeof script !== "string" || !workerOf(script).upload)
          throw new ApiError(400, 11_005, "script_name must be a Worker of this account");
        consumers.set(name, script);
        workerOf(script).consumed.add(name);
        workerOf(script).change();
        return { result: { consumer_id: name } };
      },
    ],
    [`PUT ${BASE}/queues/:id/consumers/:consumer`, () => ({ result: {} })],
  ];
}

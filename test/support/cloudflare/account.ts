import { ApiError, type ApiServer, type Route, serveApi } from "./api.ts";
import { edgeOf } from "./edge.ts";
import { Namespaces } from "./namespaces.ts";
import { queueRoutes } from "./queues.ts";
import { added, created, fieldsIn } from "./resources.ts";
import { scriptRoutes } from "./scripts.ts";
import { ACCOUNT_ID, BASE, TOKEN } from "./server.ts";
import { refusalOfSize, refusalOfSplitter } from "./sql.ts";
import { openTransfers } from "./transfers.ts";
import { type DeployedWorker, newWorker } from "./worker.ts";

export type AccountOptions = {
  dispatch?: boolean;
  analytics?: boolean;
  plan?: "free" | "paid";
  strays?: number;
};

/** A Cloudflare account that stores and validates its input, and runs the Worker that is uploaded to it. */
export type CloudflareAccount = ApiServer & {
  /** The accounts that the token has access to. */
  accounts: { id: string; name: string }[];
  databases: Map<string, string>;
  buckets: Set<string>;
  /** The outbound Workers of dispatch namespaces. */
  outbounds: Set<string>;
  queues: Map<string, string>;
  /** The token's edit permissions; undefined if it may not read them. */
  token: { edits: string[] | undefined };
  /** Zones by name: the names of their DNS records, and whether they are onboarded to Email Sending. */
  zones: Map<string, { records: string[]; sends: boolean }>;
  /** Features that Workers may use. */
  offers: Required<Pick<AccountOptions, "analytics" | "plan">>;
  namespaces: Namespaces;
  subdomain: { name: string | null };
  /** The production Worker. */
  worker: DeployedWorker;
  workerOf: (name: string) => DeployedWorker;
  /** Requests deployed Workers: production at any hostname but that of another one under workers.dev. */
  reach: typeof fetch;
  stop: () => Promise<void>;
};

/** Start an empty account. `dispatch`: it has Workers for Platforms; `analytics`: Analytics Engine is enabled; `strays`: calls of a new name that find no Worker. */
export async function openCloudflare({
  dispatch = true,
  analytics = true,
  plan = "paid",
  strays = 0,
}: AccountOptions = {}): Promise<CloudflareAccount> {
  const workers = new Map<string, DeployedWorker>();
  const workerOf = (name: string): DeployedWorker => {
    const worker = workers.get(name) ?? newWorker(workerOf);
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
    offers: { analytics, plan },
    token: { edits: undefined },
    zones: new Map<string, { records: string[]; sends: boolean }>(),
    subdomain: { name: null as string | null },
    worker: workerOf("wellspring"),
    workerOf,
  };
  const transfers = await openTransfers((uuid) => workerAt(state, uuid));
  const routes = [
    ...transfers.routes,
    ...accountRoutes(state),
    ...storageRoutes(state),
    ...queueRoutes(state),
    ...state.namespaces.routes(BASE),
    ...scriptRoutes(state),
  ];
  const server = await serveApi({ token: TOKEN, routes });
  const reach = edgeOf(workerOf, strays);
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
  | "offers"
  | "token"
  | "zones"
  | "subdomain"
  | "workerOf"
>;

/** The token's permissions, if it may read them. */
function tokenRoutes(token: CloudflareAccount["token"]): Route[] {
  return [
    ["GET /user/tokens/verify", () => ({ result: { id: "token", status: "active" } })],
    [
      "GET /user/tokens/:id",
      () => {
        if (!token.edits)
          throw new ApiError(403, 9109, "Unauthorized to access requested resource");
        const permission_groups = token.edits.map((name) => ({ name: `${name} Write` }));
        return { result: { policies: [{ effect: "allow", permission_groups }] } };
      },
    ],
  ];
}

function zoneRoutes(zones: CloudflareAccount["zones"]): Route[] {
  return [
    [
      "GET /zones",
      ({ query }) => ({
        result: [...zones.keys()].flatMap((name) =>
          name === query.get("name") ? [{ id: name }] : [],
        ),
      }),
    ],
    [
      "GET /zones/:name/dns_records",
      ({ params: { name = "" }, query }) => ({
        result: (zones.get(name)?.records ?? [])
          .filter((record) => record === query.get("name"))
          .map(() => ({ type: "CNAME" })),
      }),
    ],
    [`GET ${BASE}/workers/domains`, () => ({ result: [] })],
    [
      `GET ${BASE}/email/sending/zones`,
      () => ({
        result: [...zones].flatMap(([name, { sends }]) => (sends ? [{ name }] : [])),
      }),
    ],
  ];
}

function accountRoutes({ accounts, subdomain, offers, token, zones }: State): Route[] {
  return [
    ["GET /accounts", () => ({ result: accounts })],
    ...tokenRoutes(token),
    [
      `GET ${BASE}/subscriptions`,
      () => ({ result: offers.plan === "paid" ? [{ rate_plan: { id: "workers_paid" } }] : [] }),
    ],
    [
      `GET ${BASE}/analytics_engine/sql`,
      () => {
        if (!offers.analytics) throw new ApiError(403, 10_000, "Authentication error");
        return { result: null };
      },
    ],
    ...zoneRoutes(zones),
    ["GET /user", () => ({ result: { id: "user", email: "ada@example.com" } })],
    ["GET /memberships", () => ({ result: accounts.map((account) => ({ account })) })],
    [
      `GET ${BASE}/workers/subdomain`,
      () => {
        if (subdomain.name === null)
          // No page documents the status: wrangler recognizes the error by its code.
          throw new ApiError(400, 10_007, "This account has no workers.dev subdomain");
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

/** The Worker of a database, which has its name. */
function workerAt({ databases, workerOf }: Pick<State, "databases" | "workerOf">, uuid = "") {
  const [name] = [...databases].find(([, each]) => each === uuid) ?? [];
  if (name === undefined) throw new ApiError(404, 7404, "Database not found");
  return workerOf(name);
}

function refuseQuery(error: unknown): never {
  throw new ApiError(400, 7500, error instanceof Error ? error.message : String(error));
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
        const sql = String(fieldsIn(body)["sql"]);
        const worker = workerAt({ databases, workerOf }, params["uuid"]);
        const refusal = refusalOfSize(sql) ?? refusalOfSplitter(sql);
        if (refusal !== undefined) throw new ApiError(400, 7500, refusal);
        return { result: await worker.query(sql).catch(refuseQuery) };
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

import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from "miniflare";

import { MAX_ROW_BYTES } from "#domain/row-size.ts";

import { assetFolder } from "./asset-folder.ts";
import { statementsIn } from "./sql.ts";
import type { Upload } from "./upload.ts";

/** The one Worker of an account, which gets a separate runtime once it is uploaded. */
export type DeployedWorker = {
  upload: Upload | undefined;
  secrets: Map<string, string>;
  /** Queues that it is attached to, by name. */
  consumed: Set<string>;
  /** Restart it with its current upload on the next request. */
  change(): void;
  query(sql: string): Promise<unknown[]>;
  /** Run statements in its database, all or none, and return their number. */
  load(sql: string): Promise<number>;
  /** The whole content of its database, as statements. */
  dump(): Promise<string>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
};

/** Finds a Worker of the account by its name. */
type WorkerOf = (name: string) => DeployedWorker;

/** A Worker without an upload, beside an empty database. Both live in memory. */
export function newWorker(workerOf: WorkerOf): DeployedWorker {
  let running: Miniflare | undefined;
  let isStale = false;
  /** The uploads of the Workers that it calls, at its last start. */
  let started: (Upload | undefined)[] = [];
  return {
    upload: undefined,
    secrets: new Map(),
    consumed: new Set(),
    change: () => (isStale = true),
    async query(sql) {
      running ??= new Miniflare(optionsOf(this, workerOf));
      const db = await running.getD1Database("DB");
      const answers = [];
      for (const statement of statementsIn(sql)) answers.push(await db.prepare(statement).all());
      await refuseLargeRows(db, sql);
      return answers;
    },
    async load(sql) {
      running ??= new Miniflare(optionsOf(this, workerOf));
      const db = await running.getD1Database("DB");
      const statements = statementsIn(sql);
      if (statements.length > 0) await db.batch(statements.map((each) => db.prepare(each)));
      await refuseLargeRows(db, sql);
      return statements.length;
    },
    async dump() {
      running ??= new Miniflare(optionsOf(this, workerOf));
      const db = await running.getD1Database("DB");
      const [lines] = await db.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(0, 0).raw();
      return (lines as string[]).join("\n");
    },
    async fetch(url, init) {
      if (!this.upload || !running) throw new Error("No such host");
      const bound = boundTo(this, workerOf).map(([, { upload }]) => upload);
      if (isStale || bound.some((upload, index) => upload !== started[index]))
        await running.setOptions(optionsOf(this, workerOf));
      isStale = false;
      started = bound;
      return (await running.dispatchFetch(url, init as never)) as unknown as Response;
    },
    stop: async () => running?.dispose(),
  };
}

type Db = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Throw like D1 if SQL has written a row of more than 2 MB; the local one accepts 4 MB, and so stores it. */
async function refuseLargeRows(db: Db, sql: string): Promise<void> {
  if (!/\b(INSERT|UPDATE|REPLACE)\b/i.test(sql)) return;
  const { results: columns } = await db
    .prepare(
      `SELECT tables.name AS owner, columns.name AS name
       FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT GLOB '_cf_*' AND tables.name NOT GLOB 'sqlite_*'`,
    )
    .all<{ owner: string; name: string }>();
  const sizes = Map.groupBy(columns, ({ owner }) => owner);
  for (const [table, own] of sizes) {
    const bytes = own.map(({ name }) => `coalesce(octet_length("${name}"), 0)`).join(" + ");
    const large = db.prepare(`SELECT 1 FROM "${table}" WHERE ${bytes} > ${MAX_ROW_BYTES} LIMIT 1`);
    if ((await large.first()) !== null) throw new Error("string or blob too big: SQLITE_TOOBIG");
  }
}

const IDLE: Upload = {
  main: "idle.js",
  compatibilityDate: "2026-10-01",
  compatibilityFlags: [],
  bindings: [{ type: "d1", name: "DB" }],
  limits: {},
  keepsSecrets: true,
  modules: [
    {
      type: "ESModule",
      path: "idle.js",
      contents: new TextEncoder().encode("export default { fetch: () => new Response() };"),
    },
  ],
};

/** The Workers that a Worker calls, by the names of its bindings. */
function boundTo({ upload = IDLE }: DeployedWorker, workerOf: WorkerOf) {
  return upload.bindings
    .filter(({ type }) => type === "service")
    .map((binding) => [binding, workerOf(binding.service ?? "")] as const);
}

function optionsOf(worker: DeployedWorker, workerOf: WorkerOf) {
  const bound = boundTo(worker, workerOf);
  const callable = bound.map(([{ name, service = "", entrypoint }]) => [
    name,
    { name: service, ...(entrypoint !== undefined && { entrypoint }) },
  ]);
  return convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    workers: [
      { ...workerOptions("wellspring", worker), serviceBindings: Object.fromEntries(callable) },
      ...bound.map(([{ service = "" }, each]) => workerOptions(service, each)),
    ],
  });
}

function workerOptions(
  workerName: string,
  { upload = IDLE, secrets, consumed }: DeployedWorker,
): V4WorkerOptions {
  const { bindings, modules, compatibilityDate, compatibilityFlags, assets } = upload;
  const named = (type: string) => bindings.filter((binding) => binding.type === type);
  const texts = named("plain_text").map(({ name, text = "" }) => [name, text] as const);
  const objects = named("durable_object_namespace");
  const [version] = named("version_metadata");
  return {
    name: workerName,
    modules: modules as never,
    compatibilityDate,
    compatibilityFlags,
    bindings: { ...Object.fromEntries(texts), ...Object.fromEntries(secrets) },
    d1Databases: Object.fromEntries(named("d1").map(({ name }) => [name, "database"])),
    r2Buckets: Object.fromEntries(
      named("r2_bucket").map(({ name, bucket_name = name }) => [name, bucket_name]),
    ),
    durableObjects: Object.fromEntries(
      objects.map(({ name, class_name = "" }) => [
        name,
        { className: class_name, useSQLite: true },
      ]),
    ),
    queueProducers: Object.fromEntries(
      named("queue").map(({ name, queue_name = "" }) => [name, { queueName: queue_name }]),
    ),
    queueConsumers: Object.fromEntries([...consumed].map((name) => [name, { maxBatchTimeout: 0 }])),
    ...(version && { versionMetadata: version.name }),
    ...(assets && {
      assets: {
        directory: assetFolder(assets),
        binding: named("assets")[0]?.name ?? "ASSETS",
        run_worker_first: upload.runWorkerFirst ?? false,
        routerConfig: { has_user_worker: true },
      },
    }),
    workerLoaders: Object.fromEntries(named("worker_loader").map(({ name }) => [name, {}])),
    workflows: Object.fromEntries(
      named("workflow").map(({ name, workflow_name = name, class_name = "" }) => [
        name,
        { name: workflow_name, className: class_name },
      ]),
    ),
    analyticsEngineDatasets: Object.fromEntries(
      named("analytics_engine").map(({ name, dataset = "" }) => [name, { dataset }]),
    ),
    email: { send_email: named("send_email").map(({ name }) => ({ name })) },
  };
}

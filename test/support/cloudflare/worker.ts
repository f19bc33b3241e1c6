import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import type { Upload } from "./upload.ts";

/** The one Worker of an account, which runs in a runtime of its own once it is uploaded. */
export type DeployedWorker = {
  upload: Upload | undefined;
  secrets: Map<string, string>;
  /** Queues that it is attached to, by name. */
  consumed: Set<string>;
  /** Let the next request find it as it now is. */
  change(): void;
  query(sql: string): Promise<unknown[]>;
  /** All that its database holds, as statements. */
  dump(): Promise<string>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
};

/** A Worker that is not uploaded yet, beside a database that is empty. Both live in memory. */
export function newWorker(): DeployedWorker {
  let running: Miniflare | undefined;
  let isStale = false;
  return {
    upload: undefined,
    secrets: new Map(),
    consumed: new Set(),
    change: () => (isStale = true),
    async query(sql) {
      running ??= new Miniflare(optionsOf(this));
      const db = await running.getD1Database("DB");
      const answers = [];
      for (const statement of splitStatements(sql)) answers.push(await db.prepare(statement).all());
      return answers;
    },
    async dump() {
      running ??= new Miniflare(optionsOf(this));
      const db = await running.getD1Database("DB");
      const [lines] = await db.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(0, 0).raw();
      return (lines as string[]).join("\n");
    },
    async fetch(url, init) {
      if (!this.upload || !running) throw new Error("No such host");
      if (isStale) await running.setOptions(optionsOf(this));
      isStale = false;
      return (await running.dispatchFetch(url, init as never)) as unknown as Response;
    },
    stop: async () => running?.dispose(),
  };
}

/** Statements as wrangler joins them; a semicolon within a text or a trigger ends none. */
function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  for (const piece of sql.replaceAll("--> statement-breakpoint", "").split(/;\s*(?:\n|$)/)) {
    const last = statements.at(-1);
    if (last !== undefined && isOpenTrigger(last)) statements.splice(-1, 1, `${last};\n${piece}`);
    else if (piece.trim() !== "") statements.push(piece.trim());
  }
  return statements;
}

function isOpenTrigger(statement: string): boolean {
  return /CREATE TRIGGER/.test(statement) && !/\bEND\s*$/.test(statement);
}

const IDLE: Upload = {
  main: "idle.js",
  compatibilityDate: "2026-10-01",
  compatibilityFlags: [],
  bindings: [{ type: "d1", name: "DB" }],
  keepsSecrets: true,
  modules: [
    {
      type: "ESModule",
      path: "idle.js",
      contents: new TextEncoder().encode("export default { fetch: () => new Response() };"),
    },
  ],
};

function optionsOf({ upload = IDLE, secrets, consumed }: DeployedWorker) {
  const { bindings, modules, compatibilityDate, compatibilityFlags } = upload;
  const named = (type: string) => bindings.filter((binding) => binding.type === type);
  const texts = named("plain_text").map(({ name, text = "" }) => [name, text] as const);
  const objects = named("durable_object_namespace");
  return convertV4MiniflareOptions({
    name: "wellspring",
    log: new Log(LogLevel.ERROR),
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
  });
}

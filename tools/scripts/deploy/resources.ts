import type { Account } from "./account.ts";
import { ApiFailure, isTokenRefused, type Purpose } from "./api.ts";
import type { Config } from "./config.ts";
import type { Report } from "./report.ts";

/** The id of a database that a dry run would create. */
export const NOT_YET = "not-created-yet";

/** The error code of an account without Workers for Platforms. */
const NO_DISPATCH = 10_121;

/** A named resource of an account, in the API's form. */
type Resource<T> = {
  kind: string;
  name: string;
  needs: string;
  find: (purpose: Purpose) => Promise<T | undefined>;
  /** The path and the body of its creation. */
  path: string;
  body: object;
  idOf: (found: T) => string;
};

/** The read-only part of a resource. */
type Sought = Pick<Resource<unknown>, "kind" | "name" | "needs" | "find">;

/** Whether one of the configuration's databases exists already. */
export async function knowsDatabase(account: Account, config: Config): Promise<boolean> {
  for (const { database_name: name } of config.d1_databases) {
    const { find, needs } = databaseOf(account, name);
    if ((await find({ task: `look for the D1 database ${name}`, needs })) !== undefined)
      return true;
  }
  return false;
}

/**
 * Create the configuration's resources that the account lacks, and return the configuration with their ids. On an
 * account without Workers for Platforms, the result has no dispatch namespaces.
 */
export async function ensureResources(
  account: Account,
  config: Config,
  report: Report,
): Promise<Config> {
  const databases = [];
  for (const database of config.d1_databases) {
    const id = await ensure(account, databaseOf(account, database.database_name), report);
    databases.push({ ...database, database_id: id });
  }
  for (const { bucket_name } of config.r2_buckets)
    await ensure(account, bucketOf(account, bucket_name), report);
  for (const name of queuesOf(config)) await ensure(account, queueOf(account, name), report);
  const dispatch = await ensureNamespaces(account, config.dispatch_namespaces ?? [], report);
  const { dispatch_namespaces: _, ...rest } = config;
  const complete = { ...rest, d1_databases: databases };
  return dispatch.length > 0 ? { ...complete, dispatch_namespaces: dispatch } : complete;
}

/** All resources of `ensureResources`, without dispatch namespaces. */
export function resourcesOf(account: Account, config: Config): Sought[] {
  return [
    ...config.d1_databases.map(({ database_name: name }) => databaseOf(account, name)),
    ...config.r2_buckets.map(({ bucket_name: name }) => bucketOf(account, name)),
    ...[...queuesOf(config)].map((name) => queueOf(account, name)),
  ];
}

async function ensure<T>(
  { api }: Account,
  { kind, name, needs, find, path, body, idOf }: Resource<T>,
  report: Report,
): Promise<string> {
  const what = `${kind} ${name}`;
  const look = () => find({ task: `look for the ${what}`, needs });
  const found = await look();
  if (found !== undefined) {
    report.note("exists", what);
    return idOf(found);
  }
  const created = await report.change("create", what, () =>
    api.create<T>(path, body, { task: `create the ${what}`, needs }, look),
  );
  return created === undefined ? NOT_YET : idOf(created);
}

type Database = { uuid: string; name: string };

function databaseOf({ id, api }: Account, name: string): Resource<Database> {
  const path = `/accounts/${id}/d1/database`;
  return {
    kind: "D1 database",
    name,
    needs: "D1: Edit",
    // The API also returns names that contain this one.
    find: async (purpose) => {
      const query = new URLSearchParams({ name, per_page: "100" }).toString();
      const found = await api.get<Database[]>(`${path}?${query}`, purpose);
      return found.find((database) => database.name === name);
    },
    path,
    body: { name },
    idOf: ({ uuid }) => uuid,
  };
}

function bucketOf({ id, api }: Account, name: string): Resource<object> {
  const path = `/accounts/${id}/r2/buckets`;
  return {
    kind: "R2 bucket",
    name,
    needs: "Workers R2 Storage: Edit",
    find: (purpose) => unlessMissing(() => api.get(`${path}/${name}`, purpose)),
    path,
    body: { name },
    idOf: () => name,
  };
}

type Queue = {
  queue_id: string;
  queue_name: string;
  consumers?: { script?: string; script_name?: string }[];
};

export function queueOf({ id, api }: Account, name: string): Resource<Queue> {
  const path = `/accounts/${id}/queues`;
  return {
    kind: "queue",
    name,
    needs: "Queues: Edit",
    find: async (purpose) => {
      const query = new URLSearchParams({ name }).toString();
      const found = await api.get<Queue[] | null>(`${path}?${query}`, purpose);
      return found?.find((queue) => queue.queue_name === name);
    },
    path,
    body: { queue_name: name },
    idOf: ({ queue_id }) => queue_id,
  };
}

/** The names of all queues. */
export function queuesOf({ queues }: Config): Set<string> {
  const dead = queues.consumers.flatMap(({ dead_letter_queue: name }) => (name ? [name] : []));
  return new Set([...queues.producers.map(({ queue }) => queue), ...dead]);
}

async function ensureNamespaces(
  account: Account,
  wanted: NonNullable<Config["dispatch_namespaces"]>,
  report: Report,
): Promise<NonNullable<Config["dispatch_namespaces"]>> {
  try {
    for (const { namespace } of wanted)
      await ensure(account, namespaceOf(account, namespace), report);
    return wanted;
  } catch (error) {
    if (!(error instanceof ApiFailure) || !isNotOnAccount(error)) throw error;
    report.note("not available", "Workers for Platforms is not on this account");
    return [];
  }
}

export function namespaceOf({ id, api }: Account, name: string): Resource<object> {
  const path = `/accounts/${id}/workers/dispatch/namespaces`;
  return {
    kind: "dispatch namespace",
    name,
    needs: "Workers Scripts: Edit",
    find: (purpose) => unlessMissing(() => api.get(`${path}/${name}`, purpose)),
    path,
    body: { name },
    idOf: () => name,
  };
}

/** A token without the permission is another matter: the operator may well have paid for it. */
export function isNotOnAccount(error: ApiFailure): boolean {
  return error.codes.includes(NO_DISPATCH) && !isTokenRefused(error);
}

async function unlessMissing(look: () => Promise<object>): Promise<object | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404 && !error.codes.includes(NO_DISPATCH))
      return undefined;
    throw error;
  }
}

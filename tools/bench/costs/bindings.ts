import { keepingActive } from "./activity.ts";
import { countedDatabase } from "./database.ts";
import { memberOf } from "./member.ts";
import type { Measure, Tally } from "./tally.ts";

/** The billed unit of each method of a binding. Methods not named here are free. */
type Meanings = Record<string, (...args: unknown[]) => [what: Measure, by?: number]>;

const QUEUE: Meanings = {
  send: () => ["queue.written"],
  sendBatch: (messages) => ["queue.written", lengthOf(messages)],
};

const BUCKET: Meanings = {
  put: () => ["r2.writes"],
  list: () => ["r2.writes"],
  get: () => ["r2.reads"],
  head: () => ["r2.reads"],
};

const ENGINE: Meanings = {
  create: () => ["workflows.instances"],
  createBatch: (instances) => ["workflows.instances", lengthOf(instances)],
};

/** All bindings of the platform, counted. Requests to objects are counted in the objects. */
export function countedBindings(env: Env, tally: Tally): Env {
  const counted = <T extends object>(target: T, meanings: Meanings): T =>
    countedCalls(target, meanings, tally);
  return {
    ...env,
    DB: countedDatabase(env.DB, tally),
    EMISSIONS: counted(env.EMISSIONS, QUEUE),
    CODE: counted(env.CODE, BUCKET),
    RUNS: counted(env.RUNS, ENGINE),
    LOADER: countedLoader(env.LOADER, tally),
  };
}

/** The engine bills a pause like a unit of work. */
const STEPS: Meanings = {
  do: () => ["workflows.steps"],
  sleep: () => ["workflows.steps"],
  sleepUntil: () => ["workflows.steps"],
  waitForEvent: () => ["workflows.steps"],
};

/** The steps of a run, counted. */
export function countedSteps<T extends object>(engine: T, tally: Tally): T {
  return countedCalls(engine, STEPS, tally);
}

function countedCalls<T extends object>(target: T, meanings: Meanings, tally: Tally): T {
  return new Proxy(target, {
    get: (_, name) => {
      const method = memberOf(target, name);
      const meaning = typeof name === "string" ? meanings[name] : undefined;
      if (!meaning || typeof method !== "function") return method;
      return (...args: unknown[]) => {
        tally.add(...meaning(...args));
        return keepingActive(() => method(...args));
      };
    },
  });
}

/** Counts each load of an isolate and each call of one, as Cloudflare does. */
function countedLoader(loader: WorkerLoader, tally: Tally): WorkerLoader {
  return new Proxy(loader, {
    get: (_, name) => {
      if (name !== "get") return memberOf(loader, name);
      return (id: string, code: () => Promise<WorkerLoaderWorkerCode>) => {
        const stub = loader.get(id, () => {
          tally.add("loader.loaded");
          return code();
        });
        return { getEntrypoint: () => countedEntrypoint(stub.getEntrypoint(), tally) };
      };
    },
  });
}

function countedEntrypoint<T extends object>(entrypoint: T, tally: Tally): T {
  return new Proxy(entrypoint, {
    get: (_, name) => {
      const method = memberOf(entrypoint, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        tally.add("loader.calls");
        return method(...args);
      };
    },
  });
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 1;
}

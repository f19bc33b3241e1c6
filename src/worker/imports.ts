import { INSTANCE_NOT_FOUND, INSTANCE_RETENTION } from "#domain/engine-instances.ts";
import type { Id } from "#domain/ids.ts";
import type { ImportControl } from "#services/registry-imports/control.ts";

import { openBundler } from "./bundler.ts";

/** The parameters of an instance of the engine. */
export type ImportTicket = { id: Id<"registry_import"> };

/** The engine's states of an instance that has ended. */
const ENDED: ReadonlySet<string> = new Set(["complete", "errored", "terminated", "unknown"]);

/** Maximum files that are deleted at once. */
const DELETED_AT_ONCE = 1000;

/** Imports over the code store, where the bundler unpacks archives, and the engine of Workflows. */
export function openImports(env: Env): ImportControl {
  const { CODE, IMPORTS } = env;
  const bundler = openBundler(env);
  return {
    async put(id, archive) {
      await CODE.put(`imports/${id}/archive`, archive);
    },
    archive: async (id) => (await CODE.get(`imports/${id}/archive`))?.body,
    unpack: (id, url) => bundler.unpack(id, url ?? undefined),
    files: (id, paths) => bundler.archivedFiles(id, [...paths]),
    async clear(id) {
      const page = { prefix: `imports/${id}/`, limit: DELETED_AT_ONCE };
      for (;;) {
        const { objects, truncated } = await CODE.list(page);
        if (objects.length > 0) await CODE.delete(objects.map(({ key }) => key));
        if (!truncated) return;
      }
    },
    async start(id, name) {
      if ((await instanceOf(IMPORTS, name)) === undefined)
        await IMPORTS.create({ id: name, params: { id }, retention: INSTANCE_RETENTION });
    },
    async resume(name) {
      const found = await instanceOf(IMPORTS, name);
      if (found === undefined || ENDED.has(found.status)) return false;
      // A local engine resumes its instances after a restart only when it receives an event.
      await found.instance.sendEvent({ type: "nudge", payload: {} });
      return true;
    },
    async forget(names) {
      if (names.length === 0) return;
      const { errors } = await IMPORTS.deleteBatch([...names]);
      const failed = errors.find(({ code }) => code !== INSTANCE_NOT_FOUND);
      if (failed) throw new Error(`${failed.id} was not deleted: ${failed.message}`);
    },
  };
}

async function instanceOf(
  engine: Env["IMPORTS"],
  name: string,
): Promise<{ instance: WorkflowInstance; status: string } | undefined> {
  try {
    const instance = await engine.get(name);
    return { instance, status: (await instance.status()).status };
  } catch (error) {
    if (error instanceof Error && /not.?found/i.test(error.message)) return undefined;
    throw error;
  }
}

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

const keeper = () => env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);

/** Advance all times of the scripts in the dispatch namespace, whose list is read again. */
export function passTimeOfScripts(ms: number): Promise<void> {
  return runInDurableObject(keeper(), (_, { storage }) => {
    storage.sql.exec(
      `UPDATE scripts SET uploaded_ms = uploaded_ms - ?1, provided_ms = provided_ms - ?1,
         unused_since_ms = unused_since_ms - ?1`,
      ms,
    );
    storage.kv.delete("adoption");
  });
}

/** Make the upload of a script one that a crash interrupted. */
export function interruptUpload(name: string): Promise<void> {
  return runInDurableObject(keeper(), (_, { storage }) => {
    storage.sql.exec(
      "UPDATE scripts SET state = 'uploading', uploaded_ms = 0 WHERE name = ?",
      name,
    );
  });
}

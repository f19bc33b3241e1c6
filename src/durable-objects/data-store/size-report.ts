import { type Id, isId, type OwnerId } from "#domain/ids.ts";
import { STORED_STEP_BYTES } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

/** In storage once a size was reported: the owner. */
const OWNER = "owner";

type Deps = {
  /** The name of the object; undefined: it has no owner. */
  name: string | undefined;
  storage: DurableObjectStorage;
  ownerOf: (id: Id<"data_store">) => Promise<OwnerId | undefined>;
  report: (ownerId: OwnerId, id: Id<"data_store">, bytes: number) => Promise<void>;
};

/** Reports the size of a store to its owner whenever it has changed by a step. */
export class SizeReport {
  readonly #deps: Deps;
  #reportedBytes = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Report the size if that is due. A failure is logged, and the next change of a step is reported. */
  async send(): Promise<void> {
    const { name, storage, report } = this.#deps;
    const bytes = storage.sql.databaseSize;
    if (Math.abs(bytes - this.#reportedBytes) < STORED_STEP_BYTES) return;
    if (name === undefined || !isId("data_store", name)) return;
    this.#reportedBytes = bytes;
    try {
      const ownerId = await this.#ownerOf(name);
      if (ownerId !== undefined) await report(ownerId, name, bytes);
    } catch (error) {
      log("usage_unreported", { subject_id: name, error });
    }
  }

  /** Report that the store is about to be erased. */
  async erase(): Promise<void> {
    const { name, storage, report } = this.#deps;
    const ownerId = storage.kv.get<OwnerId>(OWNER);
    if (name !== undefined && isId("data_store", name) && ownerId !== undefined)
      await report(ownerId, name, 0);
  }

  async #ownerOf(id: Id<"data_store">): Promise<OwnerId | undefined> {
    const { storage, ownerOf } = this.#deps;
    const known = storage.kv.get<OwnerId>(OWNER);
    if (known !== undefined) return known;
    const ownerId = await ownerOf(id);
    // It may have been erased meanwhile: deleted stores leave nothing behind.
    if (ownerId !== undefined) storage.kv.put(OWNER, ownerId);
    return ownerId;
  }
}

import type { ArchivedComponent, Unpacked } from "#bundler/contract.ts";
import type { Id } from "#domain/ids.ts";

type ImportId = Id<"registry_import">;

/** The archives of imports, and the engine that processes them. */
export type ImportControl = {
  /** Store an uploaded archive of known length. */
  put(id: ImportId, archive: ReadableStream): Promise<void>;
  /** The uploaded archive, while it is stored. */
  archive(id: ImportId): Promise<ReadableStream | undefined>;
  /** Unpack the archive at a URL, else the uploaded one, and return the paths of its components. */
  unpack(id: ImportId, url: string | null): Promise<Unpacked>;
  /**
   * The first of some components of an unpacked archive, with all files that they need, as many as one call carries.
   */
  files(id: ImportId, paths: readonly string[]): Promise<ArchivedComponent[]>;
  /** Delete all stored files of an archive. */
  clear(id: ImportId): Promise<void>;
  /** Start the workflow of an import under a name. Idempotent for one name. */
  start(id: ImportId, name: string): Promise<void>;
  /** Resume the workflow of a name if it is paused. Returns whether one exists that has not ended. */
  resume(name: string): Promise<boolean>;
  /** Delete the engine's records of the workflows of these names; unknown names are ignored. */
  forget(names: readonly string[]): Promise<void>;
};

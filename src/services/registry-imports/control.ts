import type { ArchivedComponent, Unpacked } from "#bundler/contract.ts";
import type { Id } from "#domain/ids.ts";

type ImportId = Id<"registry_import">;

/** The archives of imports, and the engine that works on them. */
export type ImportControl = {
  /** Keep an archive that is uploaded; its length is known. */
  put(id: ImportId, archive: ReadableStream): Promise<void>;
  /** The archive that was uploaded, as long as it is kept. */
  archive(id: ImportId): Promise<ReadableStream | undefined>;
  /** Unpack the archive at a URL, else the one that was uploaded, and return the paths of its components. */
  unpack(id: ImportId, url: string | null): Promise<Unpacked>;
  /** The first of some components of an unpacked archive, with all files that they need: as many as one call carries. */
  files(id: ImportId, paths: readonly string[]): Promise<ArchivedComponent[]>;
  /** Delete all that is kept of an archive. */
  clear(id: ImportId): Promise<void>;
  /** Start the workflow of an import under a name. Starting it again under the same changes nothing. */
  start(id: ImportId, name: string): Promise<void>;
  /** Let the workflow of a name go on where it stands still. Returns whether there is one that has not ended. */
  resume(name: string): Promise<boolean>;
  /** Delete the engine's records of the workflows of these names; those that it does not have are none. */
  forget(names: readonly string[]): Promise<void>;
};

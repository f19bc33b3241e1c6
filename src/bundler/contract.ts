import type { Lockfile } from "#domain/lockfile.ts";
import type { Bundle } from "#sandbox/user-code.ts";

/** A problem that the bundler found, with its position in the code as sent. Lines count from 1, columns from 0. */
export type BundleIssue = { file: string; line: number; column: number; text: string };

/** Files by path and the one that holds the component. */
export type SourceFiles = { entry: string; files: Record<string, string> };

/** A bundle without packages that are too large to send: the code store has them. */
type SentBundle = Omit<Bundle, "dependencies"> & {
  dependencies: { hash: string; modules?: Record<string, string> };
};

/**
 * The reason why there is no bundle. `upstream`: a server of code or packages failed; `overloaded`: the client has too
 * many builds waiting.
 */
export type NotBundled = { ok: false; issues: BundleIssue[]; upstream?: true; overloaded?: true };

export type Bundled = { ok: true; bundle: Bundle } | NotBundled;
export type SentBundled = { ok: true; bundle: SentBundle } | NotBundled;

/** Files from a URL, or the reason why they cannot be read. */
export type FetchedFiles = { ok: true; files: SourceFiles } | NotBundled;

/**
 * `client`: the caller's client; clients take turns. A lockfile that covers all imports of the files decides the
 * versions. `isForDefinition`: whether only the definition is read. `call`: names it to the host of the process.
 */
export type BundleRequest = {
  client: string;
  files: SourceFiles;
  lock?: Lockfile | undefined;
  isForDefinition?: true | undefined;
  call?: string | undefined;
};

/** The components of an unpacked archive, or the reason of a failure. `upstream`: its server failed. */
export type Unpacked =
  | { ok: true; components: string[] }
  | { ok: false; reason: string; upstream: boolean };

/** A component of an archive with all files that it needs, or the reason why it cannot be read. */
export type ArchivedComponent =
  | ({ ok: true } & SourceFiles)
  | { ok: false; entry: string; reason: string };

/** What the platform calls of the bundler. `call`: names a call to the host of its process. */
export type BundlerCalls = {
  bundle(request: BundleRequest): Promise<SentBundled>;
  fetchFiles(client: string, url: string, call?: string): Promise<FetchedFiles>;
  unpack(id: string, url?: string): Promise<Unpacked>;
  archivedFiles(id: string, paths: string[]): Promise<ArchivedComponent[]>;
  probe(): Promise<void>;
};

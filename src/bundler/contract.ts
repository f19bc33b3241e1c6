import type { Lockfile } from "#domain/lockfile.ts";
import type { Bundle } from "#sandbox/user-code.ts";

/** A problem that the bundler found, with its position in the code as sent. Lines count from 1, columns from 0. */
export type BundleIssue = { file: string; line: number; column: number; text: string };

/** Files by path and the one that holds the component. */
export type SourceFiles = { entry: string; files: Record<string, string> };

/** A bundle whose packages are left out where they are too large to be sent along: the code store has them. */
type SentBundle = Omit<Bundle, "dependencies"> & {
  dependencies: { hash: string; modules?: Record<string, string> };
};

/**
 * Why there is no bundle. `upstream`: a server that code or packages come from failed; `overloaded`: the client has too
 * many builds waiting.
 */
export type NotBundled = { ok: false; issues: BundleIssue[]; upstream?: true; overloaded?: true };

export type Bundled = { ok: true; bundle: Bundle } | NotBundled;
export type SentBundled = { ok: true; bundle: SentBundle } | NotBundled;

/** Files from a URL, or why they cannot be had. */
export type FetchedFiles = { ok: true; files: SourceFiles } | NotBundled;

/** `client`: on whose behalf; clients take turns. A lockfile that covers what the files import decides the versions. `isForDefinition`: whether only the definition is read. */
export type BundleRequest = {
  client: string;
  files: SourceFiles;
  lock?: Lockfile | undefined;
  isForDefinition?: true | undefined;
};

/** The components of an unpacked archive, or the reason of a failure. `upstream`: its server failed. */
export type Unpacked =
  | { ok: true; components: string[] }
  | { ok: false; reason: string; upstream: boolean };

/** A component of an archive with all files that it needs, or why it cannot be had. */
export type ArchivedComponent =
  | ({ ok: true } & SourceFiles)
  | { ok: false; entry: string; reason: string };

// Runs of one call share the runtime's /tmp, which has no limit: each run gets a folder of its own in it, which is /tmp
// for the component.
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { current } from "./context.worker.js";

/** Maximum size of all files of one run. */
export const MAX_BYTES = 64 * 1024 * 1024;

const TMP = "/tmp";

/** Packages with data beside their code, and the modules that the runtime shows as files. */
const PACKAGES = "/node_modules/";
const DATA = "/bundle/dependencies/data";

const native = process.getBuiltinModule("node:fs");

let count = 0;

/** The folder of the current run, created on first use; undefined outside of runs. */
export function runFolder() {
  const context = current.getStore();
  if (context) context.folder ??= new RunFolder();
  return context?.folder;
}

/**
 * A path for the runtime. A value other than a path is unchanged.
 * @param {any} path
 */
export function realPath(path) {
  const text = textOf(path);
  if (text === undefined) return path;
  const absolute = resolve(text);
  if (absolute.startsWith(PACKAGES)) return DATA + absolute;
  if (absolute !== TMP && !absolute.startsWith(TMP + sep)) return path;
  const folder = runFolder();
  if (!folder) return path;
  // `mkdtemp` expects a prefix of a name: a trailing slash matters.
  return folder.root + absolute.slice(TMP.length) + (text.endsWith(sep) ? sep : "");
}

function textOf(path) {
  if (typeof path === "string") return path;
  if (path instanceof URL) return fileURLToPath(/** @type {any} */ (path));
  return Buffer.isBuffer(path) ? path.toString() : undefined;
}

/** The files of one run in /tmp. */
class RunFolder {
  root;
  // At least the size of the files: writes since the last measurement count in full.
  #bytes = 0;

  constructor() {
    count += 1;
    this.root = `${TMP}/.run-${count}`;
    native.mkdirSync(this.root, { recursive: true });
  }

  /** A path, or a text with one, for the component. */
  shown(text) {
    return text.replaceAll(this.root, TMP);
  }

  /** Reserve bytes for a write that replaces `freed` others. Throws if there is no room. */
  charge(bytes, path, freed = 0) {
    if (this.#bytes + bytes > MAX_BYTES) this.#bytes = sizeOf(this.root);
    if (this.#bytes - freed + bytes > MAX_BYTES) throw noSpace(this.shown(String(path ?? TMP)));
    this.#bytes += bytes;
  }

  remove() {
    native.rmSync(this.root, { recursive: true, force: true });
  }
}

/**
 * The size of a file, or of all files in a folder; 0 if it does not exist.
 * @param {string} path
 * @returns {number}
 */
export function sizeOf(path) {
  const stats = native.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return 0;
  if (!stats.isDirectory()) return stats.isSymbolicLink() ? 0 : stats.size;
  const names = native.readdirSync(path);
  return names.reduce((sum, name) => sum + sizeOf(`${path}/${name}`), 0);
}

function noSpace(path) {
  const limit = `/tmp holds at most ${MAX_BYTES / 1024 / 1024} MB in a run`;
  const error = new Error(`ENOSPC: no space left on device, write '${path}': ${limit}`);
  return Object.assign(error, { code: "ENOSPC", errno: -28, syscall: "write", path });
}

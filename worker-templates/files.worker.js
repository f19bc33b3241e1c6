// Node's fs over the folder of a run: paths below /tmp are mapped to it and back, and writing is limited.
import { CHARGES, collected } from "./file-charges.worker.js";
import { realPath, runFolder } from "./run-folder.worker.js";

const native = process.getBuiltinModule("node:fs");
const nativePromises = process.getBuiltinModule("node:fs/promises");

/** Functions with two paths as arguments; for all others the first argument may be one. */
const TWO_PATHS = new Set(["rename", "copyFile", "cp", "link", "symlink"]);

/** Functions that return paths. */
const PATHS = new Set(["mkdtemp", "realpath", "readlink", "mkdir", "glob", "readdir"]);

function throwing(error) {
  throw error;
}
async function rejecting(error) {
  throw error;
}

/** Node's fs/promises for components. */
export const promises = { ...nativePromises, ...wrappedAll(nativePromises, rejecting) };
for (const name of ["writeFile", "appendFile"]) promises[name] = takingPieces(promises[name]);
chargeHandles(nativePromises.FileHandle.prototype);

/** Node's fs for components. */
export const files = { ...native, ...wrappedAll(native, throwing), promises };
files.realpath.native = files.realpath;
files.realpathSync.native = files.realpathSync;
Object.assign(files, streamsOver(files));

function wrappedAll(module, fail) {
  const methods = Object.entries(module).filter(
    ([name, value]) => typeof value === "function" && /^[a-z]/.test(name),
  );
  return Object.fromEntries(methods.map(([name, method]) => [name, wrapped(name, method, fail)]));
}

function wrapped(name, method, fail) {
  const kind = name.replace(/Sync$/, "");
  const paths = TWO_PATHS.has(kind) ? 2 : 1;
  const shown = PATHS.has(kind) ? shownPaths : (value) => value;
  return (...args) => {
    const callback = typeof args.at(-1) === "function" ? args.pop() : undefined;
    const refuse = callback ? (error) => queueMicrotask(() => callback(error)) : fail;
    const respond = (error, ...rest) =>
      callback(shownError(error), ...rest.map((value) => shown(value)));
    try {
      CHARGES[kind]?.(...args);
      const real = args.map((arg, at) => (at < paths ? realPath(arg) : arg));
      const result = method(...real, ...(callback ? [respond] : []));
      if (!(result instanceof Promise)) return shown(result);
      return settled(result, shown);
    } catch (error) {
      return refuse(shownError(error));
    }
  };
}

async function settled(promise, shown) {
  try {
    return shown(await promise);
  } catch (error) {
    throw shownError(error);
  }
}

/** Node accepts streamed data here, which the runtime does not. */
function takingPieces(write) {
  return async (path, data, options) => write(path, await collected(data, path), options);
}

function shownError(error) {
  const folder = error instanceof Error ? runFolder() : undefined;
  if (!folder) return error;
  for (const field of ["message", "path", "dest", "stack"])
    if (typeof error[field] === "string") error[field] = folder.shown(error[field]);
  return error;
}

function shownPaths(value) {
  const folder = runFolder();
  if (!folder) return value;
  if (typeof value === "string") return folder.shown(value);
  if (Array.isArray(value)) return value.map((one) => shownPaths(one));
  if (typeof value?.parentPath === "string") value.parentPath = folder.shown(value.parentPath);
  return value;
}

/** Streams that open, read and write with the functions of the harness. */
function streamsOver({ open, close, read, write, writev }) {
  const fs = { open, close, read, write, writev };
  const over = (options) => {
    const given = typeof options === "string" ? { encoding: options } : (options ?? {});
    // A file handle has its own functions for reading and writing.
    return typeof given.fd === "object" && given.fd !== null ? given : { fs, ...given };
  };
  class ReadStream extends native.ReadStream {
    constructor(path, options) {
      super(path, over(options));
    }
  }
  class WriteStream extends native.WriteStream {
    constructor(path, options) {
      super(path, over(options));
    }
  }
  return {
    ReadStream,
    WriteStream,
    FileReadStream: ReadStream,
    FileWriteStream: WriteStream,
    createReadStream: (path, options) => new ReadStream(path, options),
    createWriteStream: (path, options) => new WriteStream(path, options),
  };
}

function chargeHandles(prototype) {
  for (const kind of ["write", "writev", "writeFile", "appendFile", "truncate"]) {
    const method = prototype[kind];
    const chargeFor = CHARGES[kind === "truncate" ? "ftruncate" : kind];
    prototype[kind] = async function chargedMethod(...args) {
      chargeFor(this.fd, ...args);
      return method.apply(this, args);
    };
  }
}

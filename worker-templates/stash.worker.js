// The files of a stash: written to /tmp before an action runs, and read from there at its end.
import { dirname } from "node:path";

import { chargeCall, wireBytes } from "./call.worker.js";

/** Maximum size of one stash: the input and output of an isolate must fit into one message. */
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 1000;
const MAX_PATH = 500;

const native = process.getBuiltinModule("node:fs");

/**
 * Write files to the folder of a run.
 * @param {any} folder
 * @param {import("../src/domain/stash.ts").StashFile[]} files
 */
export function unpack(folder, files) {
  for (const { path, bytes } of files) {
    const target = `${folder.root}/${path}`;
    native.mkdirSync(dirname(target), { recursive: true });
    native.writeFileSync(target, bytes);
  }
}

/**
 * All files in the folder of a run, by their paths in it. Throws a RangeError beyond the limits of a stash.
 * @param {import("./call.worker.js").CallContext} context
 * @param {any} folder
 * @returns {import("../src/domain/stash.ts").StashFile[]}
 */
export function stashOf(context, folder) {
  const paths = pathsIn(folder.root, "");
  if (paths.length > MAX_FILES)
    throw new RangeError(
      `stash: /tmp holds ${paths.length} files, and a stash at most ${MAX_FILES}`,
    );
  const sizes = paths.map((path) => native.statSync(`${folder.root}/${path}`).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_BYTES)
    throw new RangeError(
      `stash: /tmp holds ${bytes} bytes, and a stash at most ${MAX_BYTES} (20 MB)`,
    );
  return paths.map((path) => {
    chargeCall(context, wireBytes(path), "stash");
    const content = native.readFileSync(`${folder.root}/${path}`);
    chargeCall(context, content.length, "stash");
    // A copy: otherwise the whole underlying buffer would be sent.
    return { path, bytes: new Uint8Array(content) };
  });
}

/** Links may point anywhere, and are omitted. */
function pathsIn(root, folder) {
  return native.readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return pathsIn(root, path);
    if (!entry.isFile()) return [];
    if (Buffer.byteLength(path) > MAX_PATH || /%(?:[01][\dA-F]|2F|7F)/i.test(entry.name))
      throw new RangeError(
        `stash: the name of a file may have at most ${MAX_PATH} bytes, without control characters: ${JSON.stringify(path.slice(0, MAX_PATH))}`,
      );
    return [path];
  });
}

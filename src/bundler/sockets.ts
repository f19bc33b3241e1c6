import type { Metafile } from "esbuild-wasm";

import { pathOf } from "./issues.ts";

/** Modules that open TCP connections. */
const SOCKET_MODULES = new Set(["node:net", "node:tls", "cloudflare:sockets"]);

/**
 * The names by which a file opens them, for any form of import. Many files import such a module only to check whether a
 * text is an address.
 */
const OPENING = /\b(?:connect|createConnection|Socket|TLSSocket|Stream)\b/;

/**
 * Agents that connect to proxies: HTTP clients depend on them, and hardly any component configures one. If they
 * counted, most code could not be deployed as a script.
 */
const PROXY_AGENTS = /\bnode_modules\/https?-proxy-agent\//;

/** The files that import modules for TCP connections, as the compiler names them: recorded during a build. */
export class SocketImports {
  readonly #importers = new Set<string>();

  note(module: string, { namespace, importer }: { namespace: string; importer: string }): void {
    if (SOCKET_MODULES.has(module)) this.#importers.add(`${namespace}:${importer}`);
  }

  /** Whether the compiled code may open TCP connections. `textOf` returns a file by its path. */
  async mayConnect(
    { outputs }: Metafile,
    textOf: (path: string) => Promise<string>,
  ): Promise<boolean> {
    const inputs = new Set(Object.values(outputs).flatMap((output) => Object.keys(output.inputs)));
    const used = [...this.#importers].filter((importer) => inputs.has(importer)).map(pathOf);
    for (const path of used)
      if (!PROXY_AGENTS.test(path) && OPENING.test(await textOf(path))) return true;
    return false;
  }
}

/** Whether a file of a package may open TCP connections, by the targets of its imports. */
export function mayOpenSockets(path: string, code: string, targets: readonly string[]): boolean {
  const imports = targets.some((target) => SOCKET_MODULES.has(target));
  return imports && !PROXY_AGENTS.test(path) && OPENING.test(code);
}

/** Matches an import of one of those modules in compiled code. */
const IMPORT = /["'](?:node:net|node:tls|cloudflare:sockets)["']/;

/** Whether compiled code, as it is deployed, may open TCP connections itself. */
export function opensSockets(code: string): boolean {
  return IMPORT.test(code) && OPENING.test(code);
}

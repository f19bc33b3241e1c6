import type { BuildOptions } from "esbuild-wasm";

import { CompilerFault } from "./compiler.ts";
import { compile, FILES_LIMIT_MS } from "./esbuild.ts";
import { messagesOf } from "./issues.ts";
import { TokenCount } from "./tokens.ts";
import { loaderOf } from "./user-files.ts";

/**
 * The imports of one file, scanned on behalf of a client. None if it cannot be parsed, or is too large: the bundler reports that with
 * the position.
 */
export async function fileImports(
  path: string,
  contents: string,
  client: string,
): Promise<string[]> {
  const specifiers: string[] = [];
  if (!new TokenCount().admits(contents)) return specifiers;
  try {
    const options: BuildOptions = {
      stdin: { contents, loader: loaderOf(path) },
      bundle: true,
      format: "esm",
      logLevel: "silent",
      plugins: [
        {
          name: "imports",
          setup(build) {
            build.onResolve({ filter: /./ }, (imported) => {
              specifiers.push(imported.path);
              return { path: imported.path, external: true };
            });
          },
        },
      ],
    };
    await compile(options, { client, limitMs: FILES_LIMIT_MS });
  } catch (error) {
    if (messagesOf(error) === undefined && !(error instanceof CompilerFault)) throw error;
  }
  return specifiers;
}

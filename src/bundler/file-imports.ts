import { compile } from "./esbuild.ts";
import { messagesOf } from "./issues.ts";
import { loaderOf } from "./user-files.ts";

/** What one file imports. None where it cannot be read: that is for the bundler to say, with the place. */
export async function fileImports(path: string, contents: string): Promise<string[]> {
  const specifiers: string[] = [];
  try {
    await compile({
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
    });
  } catch (error) {
    if (messagesOf(error) === undefined) throw error;
  }
  return specifiers;
}

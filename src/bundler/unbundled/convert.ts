import type { BuildOptions, Message, Metafile } from "esbuild-wasm";

import { CompilerFault } from "../compiler.ts";
import { compile, PACKAGES_LIMIT_MS } from "../esbuild.ts";
import { marked, unmarked } from "../esm-mark.ts";
import { messagesOf } from "../issues.ts";
import { isEsm } from "../node-resolution.ts";
import type { PackageTree } from "../package-files.ts";
import { throwing } from "../packages-plugin.ts";
import { Refusal } from "../refusal.ts";
import { syntaxErrorIn } from "../syntax.ts";
import { loaderOf } from "../user-files.ts";
import { isEsmSyntax } from "./esm-syntax.ts";
import { scan, type Scanned } from "./scan.ts";

/** `mjs`: an ES module by Node's rules; `esm`: an ES module for bundlers only. */
export type Format = "cjs" | "esm" | "mjs";

/** A file of a package as the body of a function, with the names that it exports as an ES module. */
export type Converted = Scanned & {
  path: string;
  format: Format;
  names: string[];
  stars: string[];
};

/** Maximum bytes in one compilation: the compiler needs some twenty bytes of memory for each. */
const MAX_BATCH_BYTES = 2 ** 19;
const MAX_BATCH_FILES = 40;

/** The compiler has too little memory for a larger file. */
const MAX_MODULE_BYTES = 4 * 2 ** 20;

const OPTIONS = {
  format: "cjs",
  platform: "node",
  target: "esnext",
  outdir: "/",
  legalComments: "none",
  minifyWhitespace: true,
  metafile: true,
  logLevel: "silent",
  supported: { "dynamic-import": false },
  define: {
    "import.meta.url": "moduleUrl",
    "import.meta.filename": "__filename",
    "import.meta.dirname": "__dirname",
  },
} satisfies BuildOptions;

type Source = { path: string; text: string; format: Format };

/**
 * Convert files to function bodies, one after the other, on behalf of a client. CommonJS stays as it is, except for
 * comments; other code is compiled. Throws a `Refusal` for code that cannot be converted.
 */
export async function* convert(
  paths: Iterable<string>,
  tree: PackageTree,
  client: string,
): AsyncGenerator<Converted> {
  let batch: Source[] = [];
  let bytes = 0;
  for (const path of paths) {
    const source = await sourceOf(path, tree);
    if (source.format === "cjs" || isTooLargeToAsk(source)) {
      yield commonJs(source);
      continue;
    }
    if (bytes + source.text.length > MAX_BATCH_BYTES || batch.length === MAX_BATCH_FILES) {
      yield* await compiled(batch, client);
      batch = [];
      bytes = 0;
    }
    batch.push(source);
    bytes += source.text.length;
  }
  yield* await compiled(batch, client);
}

async function sourceOf(path: string, tree: PackageTree): Promise<Source> {
  const text = new TextDecoder().decode(await tree.read(path));
  if (isEsm(tree, path)) return { path, text, format: "mjs" };
  const isCompiled = loaderOf(path) === "ts" || (path.endsWith(".js") && isEsmSyntax(text));
  return { path, text, format: isCompiled ? "esm" : "cjs" };
}

/**
 * Code that mentions ES modules may be a compiler itself: if only its text looks like one, Node treats it as CommonJS.
 */
function isTooLargeToAsk({ path, text, format }: Source): boolean {
  return format === "esm" && loaderOf(path) !== "ts" && text.length > MAX_MODULE_BYTES;
}

function commonJs(source: Source): Converted {
  const body = bodyOf(source);
  // The runtime parses all modules of an isolate when it starts: one such file would stop all others.
  const error = syntaxErrorIn(`(function (exports, require, module) {${body.code}\n})`);
  return error === undefined
    ? { path: source.path, format: "cjs", names: [], stars: [], ...body }
    : throwingFile(source, `${source.path.replace(/^node_modules\//, "")}: ${error}`);
}

/** A file that throws when it is loaded: most files that do not parse never are. */
function throwingFile({ path }: Source, error: string): Converted {
  return { path, format: "cjs", names: [], stars: [], code: throwing(error), requests: [] };
}

/** Whether the compiler treats a file as an ES module, if only its text suggested it. */
function isModule(source: Source, { inputs }: Metafile): boolean {
  const isCompiled = source.format === "mjs" || loaderOf(source.path) === "ts";
  return isCompiled || inputs[`npm:${source.path}`]?.format === "esm";
}

function bodyOf({ path, text }: Source): Scanned {
  if (!path.endsWith(".json")) return scan(text);
  try {
    return { code: `module.exports = ${asciiJson(JSON.parse(text))};`, requests: [] };
  } catch {
    return {
      code: `throw new SyntaxError(${JSON.stringify(`${path} is no JSON`)});`,
      requests: [],
    };
  }
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0100-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function compiled(sources: Source[], client: string): Promise<Converted[]> {
  if (sources.length === 0) return [];
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const large = sources.find(({ text }) => text.length > MAX_MODULE_BYTES);
  if (large !== undefined) throw tooLarge(large);
  try {
    const { outputFiles, metafile } = await compile(optionsFor(byPath), {
      client,
      limitMs: PACKAGES_LIMIT_MS,
    });
    const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
    return sources.map((source, index) =>
      isModule(source, metafile)
        ? convertedFrom(source, texts.get(`/${index}.js`) ?? "")
        : commonJs(source),
    );
  } catch (error) {
    const unparsed = unparsedIn(error, sources);
    if (unparsed.length === 0) throw refusalOf(error) ?? error;
    const rest = sources.filter(({ path }) => unparsed.every((other) => other.path !== path));
    return [...unparsed, ...(await compiled(rest, client))];
  }
}

/** The files that do not parse. */
function unparsedIn(error: unknown, sources: Source[]): Converted[] {
  const messages = messagesOf(error) ?? [];
  return sources.flatMap((source) => {
    const isIn = ({ location }: Message) => unmarked(location?.file ?? "") === `npm:${source.path}`;
    const message = messages.find((one) => isIn(one));
    return message === undefined ? [] : [throwingFile(source, describedAt(message))];
  });
}

/** The reason why code of packages cannot be compiled; undefined for any other error. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof CompilerFault) return new Refusal(error.message, { cause: error });
  const [message] = messagesOf(error) ?? [];
  if (message === undefined) return undefined;
  return new Refusal(describedAt(message), { cause: error });
}

function describedAt({ location, text }: Message): string {
  const place = unmarked(location?.file ?? "").replace("npm:node_modules/", "");
  return `${place}: ${text}`;
}

function optionsFor(byPath: ReadonlyMap<string, Source>): BuildOptions {
  const nameOf = ({ path, format }: Source) => (format === "mjs" ? marked(path) : path);
  const entryPoints = [...byPath.values()].map((source, index) => ({
    in: nameOf(source),
    out: String(index),
  }));
  return {
    ...OPTIONS,
    entryPoints,
    plugins: [
      {
        name: "package-modules",
        setup(build) {
          build.onResolve({ filter: /./ }, ({ path }) => ({ path, namespace: "npm" }));
          build.onLoad({ filter: /./, namespace: "npm" }, ({ path }) => ({
            contents: byPath.get(unmarked(path))?.text ?? "",
            loader: loaderOf(unmarked(path)),
          }));
        },
      },
    ],
  };
}

/** The compiler writes the export names of a CommonJS file at its end, for Node to find. */
const NAMES = /0&&\(module\.exports=\{(.*?)\}\);?\s*$/s;
const DEFAULT = /__export\(\w+,\{(?:[^}]*,)?default:\(\)=>/;

function convertedFrom({ path, format }: Source, text: string): Converted {
  const { code, requests } = scan(
    text.replaceAll("__toESM(require(", "namespaceOf(require(").replace(NAMES, ""),
  );
  const listed = [
    ...(NAMES.exec(text)?.[1] ?? "").matchAll(/\.\.\.require\("([^"]*)"\)|"([^"]*)"|([\w$]+)/g),
  ];
  const names = listed.flatMap(([, , quoted, plain]) => quoted ?? plain ?? []);
  if (DEFAULT.test(text)) names.push("default");
  const stars = listed.flatMap(([, star]) => star ?? []);
  // The compiler writes imports as calls of `require`.
  const imports = requests.map((request) =>
    request.kind === "require" ? { ...request, kind: "import" as const } : request,
  );
  return { path, format, code, requests: imports, names, stars };
}

function tooLarge({ path, text }: Source): Refusal {
  const size = (text.length / 2 ** 20).toFixed(1);
  return new Refusal(`${path.replace(/^node_modules\//, "")} is too large to compile: ${size} MB`);
}

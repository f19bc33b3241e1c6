/**
 * A module that code imports: by its name, or by any name with this beginning and end. `created`: by a function that
 * the compiler renamed, because the code has its own `require`.
 */
export type Request = { kind: "require" | "import" | "created" } & (
  | { specifier: string }
  | { prefix: string; suffix: string }
);

/** Tokens between `require` and the name: `require.resolve` only looks it up. */
const START = String.raw`(?:\.resolve)?\s*\(\s*`;

/** A name in quotes, of any kind. */
const NAMED = new RegExp(
  START + String.raw`(?:"([^"\\\n]*)"|'([^'\\\n]*)'|` + "`([^`\\\\$]*)`" + String.raw`)\s*[,)]`,
  "y",
);

/** `__dirname + "/x.js"`, also through `path.join`: a known name. */
const BELOW = new RegExp(
  START +
    String.raw`(?:path\.(?:join|resolve)\(\s*)?__dirname\s*[+,]\s*["']\/?([^"'\n]+)["']\s*\)?\s*\)`,
  "y",
);

/** `"./folder/" + name + ".js"`. */
const ADDED = new RegExp(
  START +
    String.raw`["'](\.{1,2}\/[^"'\\\n]*)["']\s*\+[^()\n;"']*(?:\+\s*["']([^"'\\\n]*)["']\s*)?\)`,
  "y",
);

/** The same as a template. */
const TEMPLATE = new RegExp(
  START + "`(\\.{1,2}\\/[^`\\\\$]*)\\$\\{[^`{}]*\\}([^`\\\\${}]*)`\\s*\\)",
  "y",
);

/** The import that a word ending at `at` makes; undefined if it is known only at run time. */
export function requestAt(source: string, at: number, word: string): Request | undefined {
  const kind = word === "import" || word === "require" ? word : "created";
  const specifier = specifierAt(source, at);
  if (specifier !== undefined) return { kind, specifier };
  const found = matchAt(ADDED, source, at) ?? matchAt(TEMPLATE, source, at);
  return found && { kind, prefix: found[0] ?? "", suffix: found[1] ?? "" };
}

function specifierAt(source: string, at: number): string | undefined {
  const below = matchAt(BELOW, source, at);
  return below ? `./${below[0]}` : matchAt(NAMED, source, at)?.join("");
}

function matchAt(pattern: RegExp, source: string, at: number): (string | undefined)[] | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.slice(1);
}

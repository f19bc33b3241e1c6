/** The error of the stub for a native add-on. Stored sets of packages contain it, and it is recognised by this text. */
export const NATIVE_ADD_ON = "is a native add-on, which cannot run here";

const NATIVE = "needs native code";

/** Code that the runtime refuses, by the text of its error. */
const REFUSALS: [words: RegExp, what: string][] = [
  [/Code generation from strings disallowed/, "compiles code from text (eval, new Function)"],
  [/^The (?:run|compile)\w+ method is not implemented/, "compiles code from text (node:vm)"],
  [/Wasm code generation disallowed/, "compiles WebAssembly from bytes"],
  [
    /^Disallowed operation called within global scope/,
    "sends a request or opens a connection while it is loaded, rather than in a run",
  ],
  [new RegExp(NATIVE_ADD_ON), NATIVE],
  // The part of a package for one machine, which is never installed.
  [/(?:package|module|find) "[^"]*-(?:linux|darwin|win32|android|freebsd)-[^"]*"/, NATIVE],
  // Loaders that catch the failed import and throw an error of their own, or fail when they look for their file.
  [
    /^(?:Could not load the "sharp" module|Could not locate the bindings file|No native build was found|Cannot find native binding|Could not find module root given file|Cannot read properties of undefined \(reading 'glibcVersionRuntime'\))/,
    NATIVE,
  ],
];

/** Packages that cannot run here, and their alternatives. */
const ALTERNATIVES: Record<string, string> = {
  argon2: "hash-wasm, or scrypt of node:crypto",
  bcrypt: "bcryptjs",
  "better-sqlite3": "a database over the network",
  canvas: "an HTTP API that draws",
  "isolated-vm": "a workflow's own step for the code",
  "node-expat": "sax or fast-xml-parser",
  playwright: "an HTTP API that drives a browser",
  puppeteer: "an HTTP API that drives a browser",
  sharp: "jimp",
  snappy: "snappyjs",
  sqlite3: "a database over the network",
  vm2: "a workflow's own step for the code",
  zeromq: "a message queue with an HTTP API",
};

/** The native add-ons among them that have no substitute here: some only fail at first use. */
const NATIVE_PACKAGES = new Set([
  "argon2",
  "bcrypt",
  "better-sqlite3",
  "canvas",
  "isolated-vm",
  "node-expat",
  "sharp",
  "snappy",
  "sqlite3",
  "zeromq",
]);

/** The reason why a package cannot be imported, by its name; undefined if only an attempt can show it. */
export function refusalOfPackage(name: string): string | undefined {
  if (!NATIVE_PACKAGES.has(name)) return undefined;
  return `The package "${name}" ${NATIVE}, which cannot be done here${insteadOf(name)}`;
}

/** Precedes a file, or the word `module`. The platform's own modules of packages are in a folder of this name. */
const PACKAGE =
  /(?:node_modules\/|")(?!dependencies\/)((?:@[\w.~-]+\/)?\w[\w.~-]*)(?:\/|" module\b)/;

/**
 * The error message for code that the runtime refuses: the name of the package, and an alternative if one is known. If
 * an error about native code does not name the package, it is the only one of `installed` that cannot run. Undefined
 * for any other error.
 */
export function unsupportedCode(
  error: { message: string; stack: string },
  installed: readonly string[] = [],
): string | undefined {
  const [, what] = REFUSALS.find(([words]) => words.test(error.message)) ?? [];
  if (what === undefined) return undefined;
  const [, named] = PACKAGE.exec(error.message) ?? PACKAGE.exec(error.stack) ?? [];
  const name = named ?? (what === NATIVE ? onlyImpossible(installed) : undefined);
  return `${subjectOf(name, error.stack)} ${what}, which cannot be done here${insteadOf(name)}`;
}

function subjectOf(name: string | undefined, stack: string): string {
  if (name !== undefined) return `The package "${name}"`;
  return isInPackage(stack) ? "A package" : "The code";
}

function insteadOf(name = ""): string {
  return Object.hasOwn(ALTERNATIVES, name) ? `: use ${ALTERNATIVES[name]} instead` : "";
}

function onlyImpossible(installed: readonly string[]): string | undefined {
  const [name, other] = new Set(installed.filter((one) => Object.hasOwn(ALTERNATIVES, one)));
  return other === undefined ? name : undefined;
}

/** Whether the first frame with a file is one of a package. */
function isInPackage(stack: string): boolean {
  return (
    /\b(component\.js|files\/[^\s:]+|dependencies\/[^\s:]+):\d/
      .exec(stack)?.[1]
      ?.startsWith("dep") === true
  );
}

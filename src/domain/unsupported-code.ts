/** What code says that stands for a native add-on. Stored sets of packages contain it, and it is known by these words. */
export const NATIVE_ADD_ON = "is a native add-on, which cannot run here";

/** What of a package's code the runtime refuses, by the words of its error. */
const REFUSALS: [words: RegExp, what: string][] = [
  [/Code generation from strings disallowed/, "compiles code from text (eval, new Function)"],
  [/Wasm code generation disallowed/, "compiles WebAssembly from bytes"],
  [new RegExp(NATIVE_ADD_ON), "needs native code"],
  // Loaders that catch the failed import and throw an error of their own.
  [
    /^(?:Could not load the "sharp" module|Could not locate the bindings file|No native build was found|Cannot find native binding)/,
    "needs native code",
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

const PACKAGE = /(?:node_modules\/|")((?:@[\w.~-]+\/)?[\w.~-]+)\//;

/**
 * The error message for code that the runtime refuses: the name of the package, and an alternative where one is known.
 * Undefined for any other error.
 */
export function unsupportedCode(error: { message: string; stack: string }): string | undefined {
  const [, what] = REFUSALS.find(([words]) => words.test(error.message)) ?? [];
  if (what === undefined) return undefined;
  const [, name] = PACKAGE.exec(error.message) ?? PACKAGE.exec(error.stack) ?? [];
  if (name === undefined) return `The code ${what}, which cannot be done here`;
  const instead = Object.hasOwn(ALTERNATIVES, name) ? `: use ${ALTERNATIVES[name]} instead` : "";
  return `The package "${name}" ${what}, which cannot be done here${instead}`;
}

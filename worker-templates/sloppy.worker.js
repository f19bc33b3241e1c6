// CommonJS files that are not strict, in packages that are otherwise compiled to ES modules, and among a component's own
// files: the code of each is a function in a CommonJS module of its own, and the compiler links its imports.
import { posix } from "node:path";

/**
 * Evaluates such files. `load` returns the function of a file by its path.
 * @param {(path: string) => Function} load
 */
export function openSloppy(load) {
  /**
   * @param {string} path
   * @param {any} module the compiler's object for the file
   * @param {Record<string, () => any>} requires by specifier
   * @param {Record<string, () => Promise<any>>} imports
   */
  return function run(path, module, requires, imports) {
    const filename = `/${path}`;
    const dirname = posix.dirname(filename);
    const require = (specifier) => linked(specifier, requires, dirname)();
    Object.assign(require, { cache: {}, extensions: {}, main: undefined });
    Object.assign(require, { resolve: (specifier) => String(specifier) });
    const importing = async (specifier) => linked(specifier, imports, dirname)();
    // Node has no `self`, by which packages detect a browser.
    const body = load(path)(undefined, importing);
    body.call(module.exports, module.exports, require, module, filename, dirname);
  };
}

function linked(specifier, links, dirname) {
  const name = String(specifier);
  if (Object.hasOwn(links, name)) return links[name];
  const isBelow = (link) => link.startsWith(".") && posix.join(dirname, link) === name;
  const below = name.startsWith("/") ? Object.keys(links).find(isBelow) : undefined;
  if (below !== undefined) return links[below];
  throw Object.assign(new Error(`Cannot find module "${name}"`), { code: "MODULE_NOT_FOUND" });
}

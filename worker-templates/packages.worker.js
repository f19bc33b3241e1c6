// Packages in files without a bundler: each file is a function, and modules are resolved as in Node. The imports of a
// file were resolved when the package was installed; names computed at run time are looked up among all files.

/**
 * @typedef {Record<string, string>} Links By specifier: a file, a module of the runtime's, or after `!` the reason why there is none.
 * @typedef {{ format: "cjs" | "esm" | "mjs", requires: Links, imports: Links, code: Function }} PackageFile
 * @typedef {{ files: Record<string, number>, chunk: (index: number) => Record<string, PackageFile>, modules: Record<string, object> }} Installed
 */

const ENDINGS = ["", ".js", ".cjs", ".mjs", ".json", "/index.js", "/index.json"];

/**
 * Open installed packages. The returned function returns the exports of a file, and evaluates it on the first call.
 * @param {Installed} installed
 */
export function openPackages(installed) {
  const packages = new Packages(installed);
  return (path) => packages.load(path);
}

class Packages {
  #installed;
  #evaluated = new Map();
  #namespaces = new Namespaces();

  constructor(installed) {
    this.#installed = installed;
  }

  load(path) {
    const known = this.#evaluated.get(path);
    if (known !== undefined) return known.exports;
    const { files, chunk } = this.#installed;
    const file = chunk(files[path])[path];
    const module = moduleAt(path);
    if (file.format !== "cjs") this.#namespaces.watch(module);
    this.#evaluated.set(path, module);
    try {
      this.#evaluate(path, file, module);
      module.loaded = true;
      return module.exports;
    } catch (error) {
      // As in Node, requiring it again throws the error again, instead of returning partial exports.
      this.#evaluated.delete(path);
      throw error;
    }
  }

  #evaluate(path, { format, requires, imports, code }, module) {
    const { filename, path: dirname } = module;
    const namespaceOf = (exported, isNode) => this.#namespaces.of(exported, isNode);
    const imported = (specifier) => this.#open(this.#find(path, specifier, imports), require);
    const require = (specifier) => this.#open(this.#find(path, specifier, requires), require);
    require.resolve = (specifier) => resolved(this.#find(path, specifier, requires));
    Object.assign(require, { cache: {}, extensions: {}, main: undefined });
    module.require = require;
    const importing = async (specifier) => namespaceOf(imported(specifier), format !== "esm");
    // Node has no `self`, by which packages detect a browser.
    const url = `file://${filename}`;
    const body = code(undefined, importing, namespaceOf, url, filename, dirname);
    if (format !== "cjs") body(module.exports, imported, module);
    else body.call(module.exports, module.exports, require, module, filename, dirname);
  }

  #open(target, require) {
    const { files, modules } = this.#installed;
    if (Object.hasOwn(files, target)) return this.load(target);
    const module = modules[target]?.default ?? modules[target];
    return target === "node:module" ? { ...module, createRequire: () => require } : module;
  }

  /** The file or module of a specifier; throws if there is none. */
  #find(from, specifier, links) {
    const name = String(specifier);
    const link = Object.hasOwn(links, name) ? links[name] : this.#search(from, name);
    if (link === undefined)
      throw notFound(`Cannot find module "${name}", which "${from}" requires`);
    if (link.startsWith("!")) throw notFound(link.slice(1));
    return link;
  }

  #search(from, specifier) {
    const { files, modules } = this.#installed;
    const builtin = `node:${specifier.replace(/^node:/, "")}`;
    if (Object.hasOwn(modules, builtin)) return builtin;
    if (!/^\.{0,2}\//.test(specifier)) return undefined;
    const path = joined(specifier.startsWith("/") ? "" : folderOf(from), specifier);
    return ENDINGS.map((ending) => path + ending).find((name) => Object.hasOwn(files, name));
  }
}

/** The namespaces of modules for ES modules. */
class Namespaces {
  #esModules = new WeakSet();
  #made = new WeakMap();

  /** Record the exports of an ES module before its evaluation, for modules in an import cycle. */
  watch(module) {
    const esModules = this.#esModules;
    let { exports } = module;
    Object.defineProperty(module, "exports", {
      get: () => exports,
      set(value) {
        exports = value;
        esModules.add(value);
      },
    });
  }

  /** The `default` of a CommonJS module is the whole; for code for bundlers, its own `default`. */
  of(exported, isNode) {
    if (!isObject(exported)) return { default: exported };
    if (this.#esModules.has(exported) || (!isNode && exported.__esModule)) return exported;
    const namespace = this.#made.get(exported) ?? namespaceAround(exported);
    this.#made.set(exported, namespace);
    return namespace;
  }
}

function namespaceAround(exported) {
  const namespace = Object.create(Object.getPrototypeOf(exported));
  for (const name of Object.getOwnPropertyNames(exported)) {
    if (name !== "default")
      Object.defineProperty(namespace, name, { get: () => exported[name], enumerable: true });
  }
  return Object.defineProperty(namespace, "default", { value: exported, enumerable: true });
}

function isObject(value) {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

function moduleAt(path) {
  const filename = `/${path}`;
  const place = { id: filename, filename, path: folderOf(filename) };
  return { ...place, exports: {}, loaded: false, children: [], paths: [], parent: undefined };
}

function resolved(target) {
  return target.startsWith("node_modules/") ? `/${target}` : target;
}

function notFound(message) {
  return Object.assign(new Error(message), { code: "MODULE_NOT_FOUND" });
}

function folderOf(path) {
  return path.slice(0, path.lastIndexOf("/"));
}

function joined(folder, specifier) {
  const segments = folder.split("/").filter((segment) => segment !== "");
  for (const segment of specifier.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}

// Detects the credentials of an app that a component's code reads, so that the fields of the app's accounts are known.

// Saved before the component's module can replace it.
// oxlint-disable-next-line typescript/unbound-method -- bound by its caller.
const textOf = Function.prototype.call.bind(Function.prototype.toString);

const MAX_NAMES = 50;
const NAME = /^[A-Za-z_$][\w$]{0,99}$/;

/** For code that passes on all of `$auth`, without naming fields. */
const ALL = "*";

/** Listing the names of credentials reads none: generated files of apps without any have such a method. */
const LISTING =
  /\b(?:Object\.(?:keys|getOwnPropertyNames)|Reflect\.ownKeys)\s*\(\s*[\w$.?\s]*\$auth\s*\)/g;

/** Comments of generated files mention `$auth`. */
const COMMENTS = /(?<=^|[\s;,(){}])(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g;

/**
 * The fields of an app's `$auth` that code reads: through `this` in the app's own functions, and through the prop in
 * the component's. Undefined: no code reads it.
 * @param {import("./props.worker.js").Component} component
 * @param {string} name of the prop
 * @param {Record<string, any>} app
 * @returns {string[] | undefined}
 */
export function authReads(component, name, app) {
  const names = new Set([
    ...readsIn(functionsIn([app["methods"], app["propDefinitions"]]), ""),
    ...readsIn(functionsIn([component]), name),
  ]);
  if (names.size > 1) names.delete(ALL);
  return names.size === 0 ? undefined : [...names].slice(0, MAX_NAMES);
}

/** Depth of options and methods in a component's exports. */
const MAX_DEPTH = 4;

function functionsIn(values, depth = 0) {
  return values.flatMap((value) => {
    if (typeof value === "function") return [value];
    const isTree = typeof value === "object" && value !== null && depth < MAX_DEPTH;
    // An app in the props has functions of its own.
    if (!isTree || (depth > 0 && value.type === "app")) return [];
    return functionsIn(Object.values(value), depth + 1);
  });
}

function readsIn(functions, owner) {
  const before = owner === "" ? "" : `(?<![\\w$])${escaped(owner)}\\s*\\??\\.\\s*`;
  const read = new RegExp(
    `${before}\\$auth\\b(?:\\s*(?:\\?\\.|\\.)\\s*([\\w$]+)|\\s*(?:\\?\\.)?\\[\\s*["']([\\w$]+)["']\\s*\\])?`,
    "g",
  );
  const taken = new RegExp(`\\{([^{}]*)\\}\\s*=\\s*[\\w$.?\\s]*${before}\\$auth\\b`, "g");
  return functions.flatMap((one) => {
    const text = textOf(one).replaceAll(COMMENTS, "").replaceAll(LISTING, "");
    const direct = [...text.matchAll(read)].map(([, dotted, quoted]) => dotted ?? quoted ?? ALL);
    const parts = [...text.matchAll(taken)].flatMap(([, names = ""]) => names.split(","));
    const destructured = parts.map((part) => (part.split(/[:=]/)[0] ?? "").trim());
    return [...direct, ...destructured].filter((found) => found === ALL || NAME.test(found));
  });
}

function escaped(name) {
  return name.replaceAll(/[^\w]/g, "\\$&");
}

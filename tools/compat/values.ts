/** A prop in the API's form. */
export type Prop = { name: string; type: string; [field: string]: unknown };

/** The resources of a trial for props that refer to the user's own. */
export type Belongings = { account?: string | undefined; dataStore: string };

/** Values by the meaning of a prop's name: the first match. */
const BY_NAME: [RegExp, string][] = [
  [/e-?mail/i, "ada@example.com"],
  [/ur[il]|link|webhook|endpoint|feed/i, "https://example.com/one"],
  [/host|domain/i, "example.com"],
  [/file|path/i, "https://example.com/file.txt"],
  [/date|time|since|until|after|before/i, "2025-01-02T03:04:05Z"],
  [/cron/i, "0 * * * *"],
  [/json|body|payload|metadata/i, "{}"],
  [/phone|number|amount|count|id$/i, "1"],
];

/** Whether a component requires a value for a prop. */
export function isNeeded(prop: Prop): boolean {
  const { type, optional, hidden } = prop;
  if (type === "$.interface.timer") return true;
  if (optional === true || hidden === true || prop["default"] !== undefined) return false;
  return type !== "alert" && type !== "dir" && !type.startsWith("$.");
}

/** A value that a prop accepts; undefined for unknown types. */
export function valueFor(prop: Prop, belongings: Belongings, options: unknown[] = []): unknown {
  const isList = prop.type.endsWith("[]");
  const [first] = [...options, ...staticOptions(prop)];
  const value = first ?? MAKERS[prop.type.replace("[]", "")]?.(prop, belongings);
  return isList && value !== undefined && !Array.isArray(value) ? [value] : value;
}

const MAKERS: Record<string, (prop: Prop, belongings: Belongings) => unknown> = {
  app: (_, { account }) => (account === undefined ? undefined : { authProvisionId: account }),
  string: ({ name }) => BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "one",
  integer: ({ min, max }) =>
    typeof min === "number" ? min : typeof max === "number" ? Math.min(1, max) : 1,
  boolean: () => true,
  object: () => ({}),
  any: ({ name }) => BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "one",
  data_store: (_, { dataStore }) => dataStore,
  http_request: () => ({ method: "GET", url: "https://example.com/one" }),
  sql: () => ({ query: "SELECT 1", params: [] }),
  "$.interface.timer": () => ({ intervalSeconds: 3600 }),
};

function staticOptions({ options }: Prop): unknown[] {
  if (!Array.isArray(options)) return [];
  return options.map((option: unknown) =>
    typeof option === "object" && option !== null && "value" in option ? option.value : option,
  );
}

/** Code that lists the names of credentials, and comments: neither reads a credential. */
const READING_NONE =
  /\b(?:Object\.(?:keys|getOwnPropertyNames)|Reflect\.ownKeys)\s*\(\s*[\w$.?\s]*\$auth\s*\)|^\s*(?:\/\/|\*|\/\*).*$/gm;

/** Credentials for an app, by the fields that its code reads from `$auth` and their use; none if it reads nothing of it. */
export function credentialsIn(code: string): Record<string, string> {
  const read = [...code.matchAll(/\$auth\??\.(\w+)/g)].map(([, name = ""]) => name);
  const taken = [...code.matchAll(/\{([^{}]*)\}\s*=\s*this(?:\.\w+)*\.\$auth/g)].flatMap(
    ([, names = ""]) => names.split(",").map((name) => name.split(/[:=]/)[0]?.trim() ?? ""),
  );
  if (!/\$auth\b/.test(code.replaceAll(READING_NONE, ""))) return {};
  const names = [...read, ...taken, "oauth_access_token", "oauth_uid", "api_key"];
  return Object.fromEntries(
    names.filter((name) => /^\w+$/.test(name)).map((name) => [name, credential(name, code)]),
  );
}

/** A credential after `https://` in a template is a host, one before a dot is a part of one. */
function credential(name: string, code: string): string {
  const [, rest] = new RegExp(`://\\$\\{[^}]*\\b${name}\\b[^}]*\\}(.)`).exec(code) ?? [];
  if (rest !== undefined) return rest === "." ? "outside" : "outside.example";
  if (/url|uri|endpoint|base/i.test(name)) return "https://outside.example";
  if (/host|domain/i.test(name)) return "outside.example";
  return `fake-${name.replaceAll("_", "-")}`;
}

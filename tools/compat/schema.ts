/** The fields of responses that code reads, as far as its text shows: their names, by kind of value. */
export type ReadSchema = {
  lists: ReadonlySet<string>;
  /** Fields that hold objects, and the names read from each. */
  objects: ReadonlyMap<string, ReadonlySet<string>>;
  scalars: ReadonlySet<string>;
};

const OF_LISTS =
  /^(?:map|forEach|filter|find|findIndex|some|every|reduce|flatMap|slice|splice|sort|toSorted|reverse|entries|pop|shift|at|join|concat|length)$/;

/** `a.b?.c` as a whole, and its continuation: a call, an index, or nothing. */
const CHAIN = /(?<![\w$.])([A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+)(\s*\(|\??\.?\[\s*0\s*\])?/g;
const DESTRUCTURED =
  /(?:const|let|\(|,)\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})\s*(?:=(?!=|>)|\)\s*=>)/g;
/** `of a.b.items)` and `[...a.b.items`. */
const ITERATED =
  /\bof\s+(?:await\s+)?(?:[\w$]+\??\.)*([A-Za-z_$][\w$]*)\s*\)|[[(]\s*\.\.\.(?:[\w$]+\??\.)*([A-Za-z_$][\w$]*)/g;

/** `this.app.list` is a method and `this.channel` a prop: neither belongs to a response. */
const OF_PLATFORM = /^(?:this|process|[A-Z]\w*)\b/;

/** Names that belong to the platform, to JavaScript or to a client rather than to a response. */
const NOT_DATA =
  /^(?:this|\$|\$auth|db|http|props|methods|console|Math|JSON|Object|Array|Date|Promise|Number|String|Buffer|process|prototype|endpoint|constructor|length|then|catch|response|status|headers|message|stack)$/;

/** Find the fields that code reads. */
export function schemaOf(files: Iterable<string>): ReadSchema {
  const found: Found = { lists: new Set(), objects: new Map(), scalars: new Set() };
  for (const text of files) readCode(plainCode(text), found);
  return found;
}

function readCode(code: string, found: Found): void {
  for (const [, chain = "", after] of code.matchAll(CHAIN))
    if (!OF_PLATFORM.test(chain)) readChain(chain.split(/\??\./), after?.trim() ?? "", found);
  for (const [, pattern] of code.matchAll(DESTRUCTURED)) readPattern(pattern, found);
  for (const names of code.matchAll(ITERATED)) found.lists.add(names.slice(1).join(""));
}

/** Code without its comments and strings. */
function plainCode(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "").replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '""');
}

type Found = { lists: Set<string>; objects: Map<string, Set<string>>; scalars: Set<string> };

function readChain(names: string[], after: string, found: Found): void {
  const isIndexed = after.includes("[");
  const isOfList = !isIndexed && OF_LISTS.test(names.at(-1) ?? "");
  const data = (isOfList || after === "(" ? names.slice(0, -1) : names).filter(
    (name) => !NOT_DATA.test(name),
  );
  for (const [index, child] of data.slice(1).entries()) childrenOf(found, data[index]).add(child);
  note(data, isIndexed || isOfList, found);
}

/** Record the kind of a chain's last name. */
function note(data: string[], isList: boolean, { lists, scalars }: Found): void {
  const last = data.at(-1);
  if (last !== undefined && isList) lists.add(last);
  else if (last !== undefined && data.length > 1) scalars.add(last);
}

/** Names of a destructuring pattern, one level of nesting deep. */
function readPattern(pattern = "", found: Found): void {
  for (const [, name = "", inner] of pattern.matchAll(
    /([A-Za-z_$][\w$]*)\s*(?::\s*\{([^{}]*)\})?/g,
  ))
    if (inner === undefined) found.scalars.add(name);
    else
      for (const [, child = ""] of inner.matchAll(/([A-Za-z_$][\w$]*)\s*(?::\s*\w+)?/g))
        childrenOf(found, name).add(child);
}

function childrenOf({ objects }: Found, name = ""): Set<string> {
  const children = objects.get(name) ?? new Set<string>();
  objects.set(name, children);
  return children;
}

/** The maximum depth of a response. */
const MAX_DEPTH = 4;

/** A JSON response with the fields that the code reads, at every level; its lists are `items`, or empty. */
export function bodyFor(schema: ReadSchema, item: Item, isOver: boolean): object {
  const names = [...schema.lists, ...schema.objects.keys(), ...schema.scalars];
  return objectOf(schema, { names, item, isOver, depth: 0 });
}

/** The fields of an item of lists; other ids of a response are like its own. */
type Item = { id?: unknown; [field: string]: unknown };

type Wanted = { names: Iterable<string>; item: Item; isOver: boolean; depth: number };

/** A response with one of these fields counts as a failure. */
const OF_FAILURES = /error|^fault|^exception/i;

function objectOf(schema: ReadSchema, wanted: Wanted): object {
  const fields: Record<string, unknown> = { ...wanted.item };
  for (const name of wanted.names) {
    const value = OF_FAILURES.test(name) ? undefined : valueOf(schema, wanted, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function valueOf(schema: ReadSchema, { item, isOver, depth }: Wanted, name: string): unknown {
  const isDeep = depth >= MAX_DEPTH;
  if (schema.lists.has(name) && !isDeep) return isOver ? [] : [elementOf(schema, item, depth)];
  const names = schema.objects.get(name);
  if (names && !isDeep) return objectOf(schema, { names, item, isOver, depth: depth + 1 });
  return Object.hasOwn(item, name) ? undefined : scalarFor(name, item);
}

/** A list item. Components read its fields through variables, so it has every known object and scalar field. */
function elementOf(schema: ReadSchema, item: Item, depth: number): object {
  if (depth > 1) return item;
  const names = [...schema.objects.keys(), ...schema.scalars].filter(
    (name) => !schema.lists.has(name),
  );
  return objectOf(schema, { names, item, isOver: true, depth: MAX_DEPTH - 1 });
}

const SCALARS: [RegExp, unknown][] = [
  [/^(?:next|prev|after|cursor|page)|cursor$|pagetoken$/i, null],
  [/^(?:is|has|more|truncated)/i, false],
  [/(?:_at|At|date|time|_on|On|created|updated|modified)$/i, "2025-01-02T03:04:05.000Z"],
  [/count|total|size|amount|number|limit/i, 1],
  [/ur[il]$|link|href/i, "https://example.com/one"],
  [/e-?mail/i, "ada@example.com"],
];

const ID = /(?:^|_)(?:[ugs]|uu|gu)?id$|I[dD]$/;

/** `uuid`, `account_sid`, `GUID`: never numbers. */
const TEXT_ID = /(?:^|_)(?:[ugs]|uu|gu)id$|(?:Uu|Gu|G|S|U)id$|[UG]UID$/;

function scalarFor(name: string, { id }: Item): unknown {
  if (TEXT_ID.test(name)) return "1";
  if (ID.test(name)) return id;
  const found = SCALARS.find(([pattern]) => pattern.test(name));
  return found ? found[1] : "one";
}

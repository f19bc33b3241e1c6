/** A position in a text: its line from 1 and its column from 0. */
export type Position = { line: number; column: number };

/** A parsed value, with the position of each part by its path. */
type Located = { value: unknown; places: Map<string, Position> };

/** The error of a text that is not JSON, and its position. */
type SyntaxProblem = Position & { message: string };

const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const WORDS: [string, unknown][] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** The JSON of a text with the position of each value, which `JSON.parse` does not report; or its error. */
export function parseJson(text: string): Located | { problem: SyntaxProblem } {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return { value, places: reader.places };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { problem: { ...positionAt(text, error.at), message: error.message } };
  }
}

/** The path of a value: `steps.0.name`. The whole is the empty path. */
export function pathTo(parent: string, key: string | number): string {
  return parent === "" ? String(key) : `${parent}.${key}`;
}

/** The position of a path, or of the nearest parent that the text has. */
export function placeOf(places: Map<string, Position>, path: string): Position {
  for (
    let known = path;
    known !== "";
    known = known.slice(0, Math.max(0, known.lastIndexOf(".")))
  ) {
    const place = places.get(known);
    if (place) return place;
  }
  return places.get("") ?? { line: 1, column: 0 };
}

function positionAt(text: string, at: number): Position {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)?.length ?? 0 };
}

class JsonError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Parses JSON from left to right, and records the position of each value. */
class Reader {
  readonly places = new Map<string, Position>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value("");
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("There is more text after the end of the JSON");
    return value;
  }

  #value(path: string): unknown {
    this.#skipSpace();
    this.places.set(path, positionAt(this.#text, this.#at));
    const next = this.#text[this.#at];
    if (next === "{") return this.#object(path);
    if (next === "[") return this.#array(path);
    if (next === '"') return this.#string();
    return this.#scalar();
  }

  #object(path: string): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    if (this.#took("}")) return {};
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#fail("A name in double quotes is missing here");
      const place = positionAt(this.#text, this.#at);
      const key = this.#string();
      if (!this.#took(":")) this.#fail("A colon is missing here");
      entries.push([key, this.#value(pathTo(path, key))]);
      // An error of a field is shown at its name.
      this.places.set(pathTo(path, key), place);
    } while (this.#took(","));
    if (!this.#took("}")) this.#fail("A comma or a closing brace is missing here");
    return Object.fromEntries(entries);
  }

  #array(path: string): unknown[] {
    const values: unknown[] = [];
    this.#at += 1;
    if (this.#took("]")) return values;
    do values.push(this.#value(pathTo(path, values.length)));
    while (this.#took(","));
    if (!this.#took("]")) this.#fail("A comma or a closing bracket is missing here");
    return values;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    let read = "";
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next === "\n")
        this.#fail("The text that begins here has no end", start);
      this.#at += 1;
      if (next === '"') return read;
      read += next === "\\" ? this.#escape() : next;
    }
  }

  #escape(): string {
    const next = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (next === "u") {
      const digits = this.#text.slice(this.#at, this.#at + 4);
      if (!/^[\da-fA-F]{4}$/.test(digits)) this.#fail("Four hexadecimal digits are missing here");
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if ('"\\/'.includes(next) && next !== "") return next;
    return ESCAPES[next] ?? this.#fail("There is no such escape", this.#at - 1);
  }

  #scalar(): unknown {
    for (const [word, value] of WORDS)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    NUMBER.lastIndex = this.#at;
    const [digits] = NUMBER.exec(this.#text) ?? [];
    if (digits === undefined) return this.#fail("A value is missing here");
    this.#at += digits.length;
    return Number(digits);
  }

  #took(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #fail(message: string, at = this.#at): never {
    throw new JsonError(message, at);
  }
}

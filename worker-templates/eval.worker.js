// `eval` of a literal: the runtime compiles no text, but data needs no compiler. Any other text is passed to the
// runtime, which throws its error.
// oxlint-disable-next-line no-eval -- it compiles nothing here, and throws the error that code expects.
const runtimeEval = globalThis.eval;

const SPACE = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y;
const NUMBER =
  /(?:0x[\da-f]+|0o[0-7]+|0b[01]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?![\w$.])/iy;
const TEXT =
  /"((?:[^"\\\n\r]|\\[^])*)"|'((?:[^'\\\n\r]|\\[^])*)'|`((?:[^`\\$\r]|\\[^]|\$(?!\{))*)`/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy;
const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(\r\n|[^]))/gi;

const WORDS = new Map(
  Object.entries({ true: true, false: false, null: null, undefined, NaN, Infinity }),
);
const SINGLE = new Map(
  Object.entries({
    n: "\n",
    r: "\r",
    t: "\t",
    b: "\b",
    f: "\f",
    v: "\v",
    0: "\0",
    "\n": "",
  }).concat([
    ["\r", ""],
    ["\r\n", ""],
    ["\u2028", ""],
    ["\u2029", ""],
  ]),
);

class NoLiteral extends Error {}

/** Reads one literal. A text that begins with `=` is the value of an assignment: an object needs no parentheses. */
class Literal {
  #text;
  #at = 0;

  constructor(text) {
    this.#text = text;
  }

  read() {
    const isAssigned = this.#skip("=");
    if (!isAssigned && this.#skip("{")) throw new NoLiteral();
    const value = this.#value();
    while (this.#skip(";"));
    if (this.#at < this.#text.length) throw new NoLiteral();
    return value;
  }

  #value() {
    if (this.#skip("{")) return this.#object();
    if (this.#skip("[")) return this.#array();
    if (this.#skip("(")) return this.#closed(this.#value(), ")");
    if (this.#skip("!")) return !this.#value();
    if (this.#skip("-")) return -this.#number();
    if (this.#skip("+")) return this.#number();
    return this.#string() ?? this.#wordOrNumber();
  }

  #wordOrNumber() {
    const word = this.#match(NAME)?.[0];
    if (word === undefined) return this.#number();
    if (!WORDS.has(word)) throw new NoLiteral();
    return WORDS.get(word);
  }

  #object() {
    const object = {};
    while (!this.#skip("}")) {
      const key = this.#key();
      // It would set the prototype.
      if (key === "__proto__" || !this.#skip(":")) throw new NoLiteral();
      object[key] = this.#value();
      if (!this.#skip(",")) return this.#closed(object, "}");
    }
    return object;
  }

  #key() {
    return this.#string() ?? this.#match(NAME)?.[0] ?? String(this.#number());
  }

  #array() {
    const array = [];
    while (!this.#skip("]")) {
      array.push(this.#value());
      if (!this.#skip(",")) return this.#closed(array, "]");
    }
    return array;
  }

  #closed(value, sign) {
    if (!this.#skip(sign)) throw new NoLiteral();
    return value;
  }

  #number() {
    const digits = this.#match(NUMBER)?.[0];
    if (digits === undefined) throw new NoLiteral();
    return Number(digits);
  }

  #string() {
    const [, ...inside] = this.#match(TEXT) ?? [];
    const text = inside.find((each) => each !== undefined);
    if (text === undefined) return undefined;
    // Octal and invalid escapes.
    if (
      /\\(?:[1-9]|0\d|x(?![\da-f]{2})|u(?!\{[\da-f]+\}|[\da-f]{4}))/i.test(
        text.replaceAll("\\\\", ""),
      )
    )
      throw new NoLiteral();
    return text.replaceAll(ESCAPE, (_, braced, four, two, one) =>
      one === undefined
        ? String.fromCodePoint(Number.parseInt(braced ?? four ?? two, 16))
        : (SINGLE.get(one) ?? one),
    );
  }

  /** Skip a sign, and the space before and after it. */
  #skip(sign) {
    this.#match(SPACE);
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    this.#match(SPACE);
    return true;
  }

  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** The value of the text if it is a literal, or `this`. */
function evaluate(text) {
  if (typeof text !== "string") return text;
  if (/^\s*this\s*;?\s*$/.test(text)) return globalThis;
  try {
    return new Literal(text).read();
  } catch (error) {
    if (!(error instanceof NoLiteral || error instanceof RangeError)) throw error;
    return runtimeEval(text);
  }
}

Object.defineProperty(globalThis, "eval", {
  value: Object.defineProperty(evaluate, "name", { value: "eval" }),
  writable: true,
  configurable: true,
});

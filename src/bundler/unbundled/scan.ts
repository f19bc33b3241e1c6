import { requestAt, type Request } from "./requests.ts";

/** A file as a function's body, with its imports. */
export type Scanned = { code: string; requests: Request[] };

const WORD = /[\w$\u0080-\uffff]+/y;
const SPACE = /\s+/y;

/** Kinds of tokens by their first character: most files have millions. */
const KINDS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w$]/.test(character)) return "word";
  if (/\s/.test(character)) return "space";
  if (/["'`]/.test(character)) return "text";
  return character === "/" ? "slash" : "sign";
});

/** A slash after one of these begins a regular expression. */
const OPERATORS = new Set(
  "return typeof case in of delete void instanceof new throw do else yield await extends".split(
    " ",
  ),
);

/** After a parenthesis of these a statement follows, not an operator. */
const CLAUSES = new Set(["if", "while", "for", "with"]);

const LOOSE = /(?<![\w$.])(require|import)(?=(?:\.resolve)?\s*\()/g;

/**
 * Find the imports of a CommonJS file, and remove its comments and indentation. `import(` becomes `importing(`, a
 * function of ours. Code that cannot be recognised stays as it is.
 */
export function scan(text: string): Scanned {
  const source = text.replace(/^\uFEFF?(?:#![^\n]*)?/, "");
  const lean = new Scan(source).run();
  const { code, requests } = lean ?? loosely(source);
  return { code: inOneByte(code), requests };
}

/** Matches imports, also in comments and texts: a false match is harmless. Lines stay the same. */
export function loosely(source: string): Scanned {
  const requests: Request[] = [];
  const code = source.replaceAll(LOOSE, (word: string, _: string, at: number) => {
    const request = requestAt(source, at + word.length, word);
    if (request !== undefined) requests.push(request);
    return word === "import" ? "importing" : word;
  });
  return { code, requests };
}

/**
 * A string beyond Latin-1 takes two bytes a character of an isolate's memory. An escape is equivalent in texts, regular
 * expressions and names.
 */
function inOneByte(code: string): string {
  return code.replaceAll(/(\\*)([\u0100-\uffff])/g, (_, slashes: string, character: string) => {
    const escape = `u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return slashes.length % 2 === 1 ? slashes + escape : `${slashes}\\${escape}`;
  });
}

/** One pass over a file. It stops if only a parser could distinguish a division from a regular expression. */
class Scan {
  readonly #source: string;
  readonly #requests: Request[] = [];
  readonly #kept: string[] = [];
  /** The open brackets: parentheses, with whether a statement follows, braces and templates. */
  readonly #open: ("clause" | "group" | "brace" | "template")[] = [];
  #at = 0;
  #keptTo = 0;
  /** The last token: a slash after a value is a division. */
  #last: "value" | "operator" | "brace" = "operator";
  #word = "";

  constructor(source: string) {
    this.#source = source;
  }

  run(): Scanned | undefined {
    while (this.#at < this.#source.length) if (!this.#step()) return undefined;
    if (this.#open.length > 0) return undefined;
    this.#keep(this.#at, "");
    return { code: this.#kept.join(""), requests: this.#requests };
  }

  /** Read the next token. False if that fails. */
  #step(): boolean {
    const kind = KINDS[this.#source.charCodeAt(this.#at)] ?? "word";
    if (kind === "word") return this.#takeWord();
    if (kind === "space") return this.#space();
    const character = this.#source[this.#at] ?? "";
    if (kind === "text") return this.#text(character);
    return kind === "slash" ? this.#slash() : this.#punctuation(character);
  }

  #text(quote: string): boolean {
    return quote === "`" ? this.#template(this.#at + 1) : this.#take(this.#endOfText(quote));
  }

  #space(): boolean {
    SPACE.lastIndex = this.#at;
    const space = SPACE.exec(this.#source)?.[0] ?? " ";
    if (space.length > 1) this.#drop(this.#at + space.length, space.includes("\n") ? "\n" : " ");
    else this.#at += 1;
    return true;
  }

  #takeWord(): boolean {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#source)?.[0] ?? "";
    const end = this.#at + word.length;
    this.#word = this.#isMember() ? "" : word;
    if (this.#word === "import" || this.#word.startsWith("require")) this.#note(word, end);
    this.#at = end;
    this.#last = OPERATORS.has(this.#word) ? "operator" : "value";
    return true;
  }

  /** Whether the word here is the name of a member, not a variable. */
  #isMember(): boolean {
    return this.#source[this.#at - 1] === "." && this.#source[this.#at - 2] !== ".";
  }

  #note(word: string, end: number): void {
    if (!/^(?:import|require\d*)$/.test(word)) return;
    const request = requestAt(this.#source, end, word);
    if (request !== undefined) this.#requests.push(request);
    if (word === "import" && /^\s*\(/.test(this.#source.slice(end, end + 20)))
      this.#drop(end, "importing");
  }

  #slash(): boolean {
    const next = this.#source[this.#at + 1];
    if (next === "/") {
      const end = this.#source.indexOf("\n", this.#at);
      this.#drop(end === -1 ? this.#source.length : end, "");
      return true;
    }
    if (next === "*") return this.#comment();
    if (this.#last === "brace") return false;
    if (this.#last === "operator") return this.#take(this.#endOfPattern());
    return this.#punctuation("/");
  }

  #comment(): boolean {
    const end = this.#source.indexOf("*/", this.#at + 2);
    if (end === -1) return false;
    const hasLines = this.#source.slice(this.#at, end).includes("\n");
    this.#drop(end + 2, hasLines ? "\n" : " ");
    return true;
  }

  /** Continue after a value. */
  #take(end: number): boolean {
    if (end === -1) return false;
    this.#at = end;
    this.#last = "value";
    this.#word = "";
    return true;
  }

  #endOfText(quote: string): number {
    for (let at = this.#at + 1; at < this.#source.length; at += 1) {
      const character = this.#source[at];
      if (character === "\\") at += 1;
      else if (character === quote) return at + 1;
      else if (character === "\n") return -1;
    }
    return -1;
  }

  #endOfPattern(): number {
    let isClass = false;
    for (let at = this.#at + 1; at < this.#source.length; at += 1) {
      const character = this.#source[at];
      if (character === "\\") at += 1;
      else if (character === "\n") return -1;
      else if (character === "[") isClass = true;
      else if (character === "]") isClass = false;
      else if (character === "/" && !isClass) return at + 1;
    }
    return -1;
  }

  /** Read a template from inside, up to its end or to a value in it. */
  #template(from: number): boolean {
    for (let at = from; at < this.#source.length; at += 1) {
      const character = this.#source[at];
      if (character === "\\") at += 1;
      else if (character === "`") return this.#take(at + 1);
      else if (character === "$" && this.#source[at + 1] === "{") {
        this.#open.push("template");
        this.#at = at + 2;
        this.#last = "operator";
        return true;
      }
    }
    return false;
  }

  #punctuation(character: string): boolean {
    if (character === "}") return this.#closeBrace();
    if (character === ")") return this.#closeGroup();
    if (character === "{") this.#open.push("brace");
    else if (character === "(") this.#open.push(CLAUSES.has(this.#word) ? "clause" : "group");
    return this.#operator(character);
  }

  #operator(character: string): boolean {
    const isDoubled = character === this.#source[this.#at - 1] && /[+-]/.test(character);
    this.#at += 1;
    this.#word = "";
    // The operand of a doubled sign is before it or behind it.
    this.#last = character === "]" || isDoubled ? "value" : "operator";
    return true;
  }

  #closeBrace(): boolean {
    const opened = this.#open.pop();
    if (opened === "template") return this.#template(this.#at + 1);
    this.#at += 1;
    this.#last = "brace";
    this.#word = "";
    return opened === "brace";
  }

  #closeGroup(): boolean {
    const opened = this.#open.pop();
    this.#at += 1;
    this.#last = opened === "clause" ? "operator" : "value";
    this.#word = "";
    return opened === "clause" || opened === "group";
  }

  /** Replace the text up to `end`. */
  #drop(end: number, replacement: string): void {
    this.#keep(this.#at, replacement);
    this.#at = end;
    this.#keptTo = end;
  }

  #keep(end: number, more: string): void {
    if (end > this.#keptTo) this.#kept.push(this.#source.slice(this.#keptTo, end));
    this.#keptTo = end;
    const last = this.#kept.at(-1);
    const isRepeated = more === "\n" && last !== undefined && last.endsWith("\n");
    if (more !== "" && !isRepeated) this.#kept.push(more);
  }
}

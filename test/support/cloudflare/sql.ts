/** D1's maximum size of one statement. A row of 2 MB as SQL would be larger. */
const MAX_STATEMENT_BYTES = 100_000;

/** A quoted text or name, a comment, a word, or one other character. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\w+|\s+|[^]/g;

type Statement = { text: string; tokens: string[] };

/** Split SQL into its statements as SQLite does: `;` within quotes, comments and triggers ends none. */
export function statementsIn(sql: string): string[] {
  return cut(sql).map(({ text }) => text);
}

function cut(sql: string): Statement[] {
  const statements: Statement[] = [];
  let tokens: string[] = [];
  let depth = 0;
  const end = () => {
    if (tokens.some(isCode)) statements.push({ text: tokens.join("").trim(), tokens });
    tokens = [];
    depth = 0;
  };
  for (const token of sql.match(TOKEN) ?? []) {
    if (token === ";" && depth <= 0) {
      end();
      continue;
    }
    tokens.push(token);
    depth += deeperBy(token, tokens);
  }
  end();
  return statements;
}

/** Statements within a trigger end with the trigger. */
function deeperBy(token: string, before: string[]): number {
  if (!/^(BEGIN|CASE|END)$/i.test(token) || !isTrigger(before)) return 0;
  return /^END$/i.test(token) ? -1 : 1;
}

function isCode(token: string): boolean {
  return token.trim() !== "" && !isComment(token);
}

function isComment(token: string): boolean {
  return token.startsWith("--") || token.startsWith("/*");
}

function isTrigger(tokens: string[]): boolean {
  return /^CREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(
    tokens
      .filter((each) => !isComment(each))
      .join("")
      .trim(),
  );
}

/** The reason for which D1 rejects statements, on every path. */
export function refusalOfSize(sql: string): string | undefined {
  const isLarge = (text: string): boolean => Buffer.byteLength(text) > MAX_STATEMENT_BYTES;
  return statementsIn(sql).some(isLarge) ? "statement too long: SQLITE_TOOBIG" : undefined;
}

/**
 * The reason for which D1 fails to split the text of a query into its statements, which it does less well than SQLite:
 * its known failures are rejected. It accepts one statement unchanged.
 */
export function refusalOfSplitter(sql: string): string | undefined {
  const statements = cut(sql);
  if (statements.length < 2) return undefined;
  const tokens = statements.flatMap((each) => each.tokens);
  const isMisread =
    sql.includes("\r") || tokens.some((token) => isComment(token) && /['";]/.test(token));
  return isMisread || statements.some(isMiscut) ? "incomplete input: SQLITE_ERROR" : undefined;
}

/** A trigger over several lines, with a `CASE`, or with `BEGIN` and `END` not in capitals. */
function isMiscut({ text, tokens }: Statement): boolean {
  if (!isTrigger(tokens)) return false;
  const code = tokens.filter((token) => !isComment(token) && !/^['"]/.test(token)).join("");
  const trigger = text.slice(text.search(/CREATE\s/i));
  return trigger.includes("\n") || /\bCASE\b/i.test(code) || !/\bBEGIN\b[^]*\bEND\s*$/.test(code);
}

import { isJsonObject, type Json } from "./json.ts";
import type { Values } from "./props.ts";

/** Replaces secrets in a text. */
export type Redactor = (text: string) => string;

/** For a call whose secrets are not known yet: it has none. */
export const UNREDACTED: Redactor = (text) => text;

/** Shorter values may be ordinary words. */
const MIN_SECRET_LENGTH = 8;

const REPLACEMENT = "[redacted]";

/** Names of fields of credentials that are secret in any case, and of those that are not. */
const SECRET_FIELD = /key|token|secret|pass|(?<!o)auth|credential|private|signature|webhook/i;
const PUBLIC_FIELD =
  /^token_type$|url|domain|host|region|mail|user|account|project|tenant|organi[sz]ation|name|scope|expire|version|environment|(^|_)u?id$/i;

/** Shorter texts are not cut. */
const MIN_CUT_LENGTH = 1000;

/** The end of a text that its isolate has cut. */
const CUT_END = /(?:… \[\d+ more characters are not kept\])?$/;

/**
 * Replaces the secrets in some values for an isolate: the secret props and the secret credentials of accounts, as they
 * are and as JSON, URLs and HTTP Basic contain them (docs/contract.md: Secrets).
 */
export function redactorOf(values: Values, secretNames: ReadonlySet<string>): Redactor {
  const secrets = new Set<string>();
  const forms = new Set<string>();
  for (const [name, value] of Object.entries(values))
    if (secretNames.has(name)) addTexts(secrets, value);
  for (const credentials of Object.values(values).flatMap(credentialsIn)) {
    for (const [field, value] of Object.entries(credentials))
      if (isSecretField(field)) addTexts(secrets, value);
    for (const pair of pairsOf(credentials, secrets)) addBase64(forms, pair);
  }
  return redactorOfTexts(secrets, forms);
}

/** Replaces these secrets in any of their forms, and further texts as they are. */
export function redactorOfTexts(
  secrets: Iterable<string>,
  further: Iterable<string> = [],
): Redactor {
  const forms = new Set(further);
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return UNREDACTED;
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join("|"), "g");
  return (text) => withoutBeginning(text.replace(pattern, REPLACEMENT), longestFirst);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function credentialsIn(value: Json): Values[] {
  const auth = isJsonObject(value) ? value["$auth"] : undefined;
  return auth !== undefined && isJsonObject(auth) ? [auth] : [];
}

function isSecretField(name: string): boolean {
  return !/^token_type$/i.test(name) && (SECRET_FIELD.test(name) || !PUBLIC_FIELD.test(name));
}

/** Add all long texts and numbers of a value. */
function addTexts(secrets: Set<string>, value: Json): void {
  if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) addTexts(secrets, item);
  else if (typeof value !== "boolean" && String(value).length >= MIN_SECRET_LENGTH)
    secrets.add(String(value));
}

/** User and password of HTTP Basic, which may be any two fields of an account. */
function pairsOf(credentials: Values, secrets: ReadonlySet<string>): string[] {
  const texts = Object.values(credentials).filter((value) => typeof value === "string");
  return texts.flatMap((text) =>
    secrets.has(text)
      ? ["", ...texts].flatMap((other) => [`${other}:${text}`, `${text}:${other}`])
      : [],
  );
}

function formsOf(secret: string): Set<string> {
  const forms = new Set([secret]);
  forms.add(JSON.stringify(secret).slice(1, -1));
  const encoded = encodeURIComponent(secret.toWellFormed());
  forms.add(encoded).add(encoded.replaceAll("%20", "+"));
  addBase64(forms, secret);
  for (const line of linesOf(secret)) forms.add(line);
  return forms;
}

/** The lines of a longer secret such as a private key: a log indents them. */
function linesOf(secret: string): string[] {
  if (!secret.includes("\n")) return [];
  return secret
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_SECRET_LENGTH && !line.startsWith("-----"));
}

function addBase64(forms: Set<string>, text: string): void {
  const bytes = Buffer.from(text);
  // Without the padding, so that both spellings are found.
  forms.add(bytes.toString("base64").replace(/=+$/, ""));
  forms.add(bytes.toString("base64url"));
}

/** A text that was cut inside of a secret ends with its beginning, which goes too. */
function withoutBeginning(text: string, forms: readonly string[]): string {
  if (text.length < MIN_CUT_LENGTH) return text;
  const end = CUT_END.exec(text)?.index ?? text.length;
  for (const form of forms)
    for (let length = Math.min(form.length - 1, end); length >= MIN_SECRET_LENGTH; length -= 1)
      if (text.startsWith(form.slice(0, length), end - length))
        return text.slice(0, end - length) + REPLACEMENT + text.slice(end);
  return text;
}

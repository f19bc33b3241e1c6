import { insertByToken, renewByToken } from "#db/connect/connected-accounts.ts";
import type { Credentials } from "#domain/accounts.ts";
import { testRequest } from "#domain/app-test.ts";
import type { Id } from "#domain/ids.ts";

import { type Account, type NewAccount, newAccountRow, sealedCredentials } from "../accounts.ts";
import type { Link } from "./link.ts";
import { notifyConnection } from "./notify-connection.ts";
import { tryKeys } from "./provider.ts";

/** How long what is typed into a field may be. */
const MAX_FIELD_CHARACTERS = 10_000;

/** What a connection came to; `problems`: what is wrong with fields, by name; `refusal`: why all of it was refused. */
export type Connection =
  | { ok: true; accountId: Id<"account"> }
  | { ok: false; problems: Map<string, string>; refusal?: string };

/** Connect an account by the keys that somebody typed. Nothing is stored where a field is wrong or the provider refuses them. */
export async function connectByKeys(
  link: Link,
  typed: ReadonlyMap<string, string>,
  name?: string,
): Promise<Connection> {
  const { app, bearer, user, preset } = link;
  const problems = problemsOf(link, typed);
  if (problems.size > 0) return { ok: false, problems };
  const credentials = { ...valuesOf(link, typed), ...preset };
  const test = bearer.project.requireKeyAuthTest ? testRequest(app, credentials) : undefined;
  const reason = test && (await tryKeys(user, test));
  if (reason === undefined) return saveConnection(link, { credentials, name });
  const refusal = `${app.name} ${reason}.`;
  notifyConnection(link, { ok: false, error: refusal });
  return { ok: false, problems, refusal };
}

/** Store a connected account and use up the token, at once or not at all, and notify the customer. */
export async function saveConnection(
  link: Link,
  input: Pick<NewAccount, "expiresAt" | "externalId" | "oauthAppId" | "scopes"> & {
    credentials: Credentials;
    /** Undefined: a new account is named after its app. */
    name?: string | undefined;
  },
): Promise<Connection> {
  const account = link.account ? await renewed(link, link.account, input) : await made(link, input);
  if (!account) return { ok: false, problems: new Map(), refusal: TOO_LATE };
  notifyConnection(link, { ok: true, account });
  return { ok: true, accountId: account.id };
}

const TOO_LATE = "This link has connected an account already. Each link connects one account.";

type Input = Parameters<typeof saveConnection>[1];

async function made({ user, hash, app }: Link, input: Input): Promise<Account | undefined> {
  const { slug, name } = app;
  const owned = { ownerId: user.actor.id, app: slug, name: input.name ?? name };
  const row = await newAccountRow(user, { ...input, ...owned });
  return insertByToken(user.db, hash, row);
}

async function renewed(
  { user, hash }: Link,
  account: Account,
  { name, credentials, expiresAt, externalId, oauthAppId, scopes }: Input,
): Promise<Account | undefined> {
  const { id, ownerId } = account;
  return renewByToken(
    user.db,
    { hash, id, ownerId, at: user.now() },
    {
      ...(await sealedCredentials(user, account, { credentials, expiresAt })),
      ...(name !== undefined && { name }),
      ...(externalId !== undefined && { externalId }),
      oauthAppId: oauthAppId ?? null,
      scopes: scopes ?? null,
    },
  );
}

/** What is wrong with what was typed, by field, each in a sentence. */
export function problemsOf(
  { fields }: Pick<Link, "fields">,
  typed: ReadonlyMap<string, string>,
): Map<string, string> {
  const problems = new Map<string, string>();
  for (const { name, label, optional } of fields) {
    const { length } = typed.get(name) ?? "";
    if (length === 0 && !optional) problems.set(name, `${label} is required.`);
    if (length > MAX_FIELD_CHARACTERS)
      problems.set(name, `${label} may have at most ${MAX_FIELD_CHARACTERS} characters.`);
  }
  return problems;
}

/** What was typed into fields that the app has. An optional field that was left empty has no value. */
export function valuesOf(
  { fields }: Pick<Link, "fields">,
  typed: ReadonlyMap<string, string>,
): Credentials {
  const given = fields.flatMap(({ name }) => {
    const value = typed.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

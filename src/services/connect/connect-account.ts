import { type Connected, insertByToken, renewByToken } from "#db/connect/connected-accounts.ts";
import type { Credentials } from "#domain/accounts.ts";
import { misplacedIn } from "#domain/app-templates.ts";
import { testRequest } from "#domain/app-test.ts";
import type { App, AppField } from "#domain/apps.ts";
import type { Id } from "#domain/ids.ts";

import { checkAccountUsesSoon } from "../account-checks.ts";
import { type Account, type NewAccount, newAccountRow, sealedCredentials } from "../accounts.ts";
import type { Link } from "./link.ts";
import { notificationsOf, notifyRefusal } from "./notify-connection.ts";
import { type Notification, sendStored } from "./notify.ts";
import { tryKeys } from "./provider.ts";

const RULE_OF_HOSTS =
  "is part of the address of the app: it may have letters, digits, dots and hyphens only";

/** Maximum length of the text in a field. */
const MAX_FIELD_CHARACTERS = 10_000;

/** The result of a connection. `problems`: invalid fields, by name; `refusal`: the reason of a refusal as a whole. */
export type Connection =
  | { ok: true; accountId: Id<"account"> }
  | { ok: false; problems: Map<string, string>; refusal?: string };

/** Connect an account by typed keys. Nothing is stored if a field is invalid or the provider refuses the keys. */
export async function connectByKeys(
  link: Link,
  typed: ReadonlyMap<string, string>,
  name?: string,
): Promise<Connection> {
  const { app, bearer, user, preset } = link;
  const problems = problemsOf({ ...app, fields: link.fields }, typed);
  if (problems.size > 0) return { ok: false, problems };
  const credentials = { ...valuesOf(link, typed), ...preset };
  const tried = bearer.project.requireKeyAuthTest
    ? await testKeys(user, app, credentials)
    : undefined;
  if (!tried || tried.ok) return saveConnection(link, { credentials, name: name ?? tried?.name });
  const refusal = `${app.name} ${tried.reason}.`;
  await notifyRefusal(link, refusal);
  return { ok: false, problems, refusal };
}

/** Undefined: the app has no test for these keys. */
async function testKeys(user: Link["user"], app: App, credentials: Credentials) {
  const request = testRequest(app, credentials);
  return request && tryKeys(user, request, app.test ?? {});
}

/** Store a connected account, use up the token and notify the customer, in one transaction. */
export async function saveConnection(
  link: Link,
  input: Pick<NewAccount, "expiresAt" | "externalId" | "oauthAppId" | "scopes"> & {
    credentials: Credentials;
    /** Undefined: a new account is named after its app. */
    name?: string | undefined;
  },
): Promise<Connection> {
  const saved = link.account ? await renewed(link, link.account, input) : await made(link, input);
  if (!saved) return { ok: false, problems: new Map(), refusal: TOO_LATE };
  const { account, notifications, notified } = saved;
  sendStored(link.user, notifications, notified);
  return { ok: true, accountId: account.id };
}

const TOO_LATE = "This link has connected an account already. Each link connects one account.";

type Input = Parameters<typeof saveConnection>[1];

/** `notifications`: all possible ones; `notified` names those that were stored. */
type Saved = Connected & { notifications: Notification[] };

async function made(link: Link, input: Input): Promise<Saved | undefined> {
  const { user, hash, app } = link;
  const owned = { ownerId: user.actor.id, app: app.slug, name: input.name ?? app.name };
  const account = await newAccountRow(user, { ...input, ...owned });
  const notifications = await notificationsOf(link, { ok: true, account });
  const connected = await insertByToken(user.db, hash, { account, notifications });
  return connected && { ...connected, notifications };
}

async function renewed(
  link: Link,
  account: Account,
  { name, credentials, expiresAt, externalId, oauthAppId, scopes }: Input,
): Promise<Saved | undefined> {
  const { user, hash } = link;
  const { id, ownerId } = account;
  const at = user.now();
  const change = {
    ...(await sealedCredentials(user, account, { credentials, expiresAt })),
    ...(name !== undefined && { name }),
    ...(externalId !== undefined && { externalId }),
    oauthAppId: oauthAppId ?? null,
    scopes: scopes ?? null,
  };
  const after = { ...account, ...change, error: null, dead: false, updatedAt: at };
  const notifications = await notificationsOf(link, { ok: true, account: after });
  const place = { hash, id, ownerId, at };
  const connected = await renewByToken(user.db, place, { change, notifications });
  checkAccountUsesSoon(user);
  return connected && { ...connected, notifications };
}

/** The problems of typed values by field, each in a sentence. They may be part of the hosts of the app's URLs. */
export function problemsOf(
  { fields, oauth, request: { baseUrl = "" } }: Pick<App, "fields" | "oauth" | "request">,
  typed: ReadonlyMap<string, string>,
): Map<string, string> {
  const urls = [baseUrl, oauth?.authorizeUrl, oauth?.tokenUrl, oauth?.refreshUrl, oauth?.revokeUrl];
  const values = valuesOf({ fields }, typed);
  const misplaced = new Set(urls.flatMap((url = "") => misplacedIn(url, values)));
  const problems = fields.flatMap((field) => {
    const problem = problemOf(field, valueIn(typed, field), misplaced);
    return problem === undefined ? [] : [[field.name, `${field.label} ${problem}.`] as const];
  });
  return new Map(problems);
}

function problemOf(
  { name, optional }: AppField,
  { length }: string,
  misplaced: ReadonlySet<string>,
): string | undefined {
  if (length === 0) return optional ? undefined : "is required";
  if (length > MAX_FIELD_CHARACTERS) return `may have at most ${MAX_FIELD_CHARACTERS} characters`;
  return misplaced.has(name) ? RULE_OF_HOSTS : undefined;
}

/** The typed value of a field. A form never shows secrets, so the default of one stands for an empty field. */
function valueIn(typed: ReadonlyMap<string, string>, field: AppField): string {
  const { name, secret, default: byDefault = "" } = field;
  return typed.get(name) || (secret ? byDefault : "");
}

/** The typed values of the app's fields. An empty optional field has no value. */
export function valuesOf(
  { fields }: { fields: readonly AppField[] },
  typed: ReadonlyMap<string, string>,
): Credentials {
  const given = fields.flatMap((field) => {
    const value = valueIn(typed, field);
    return value === "" ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(given);
}

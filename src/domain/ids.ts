import { customAlphabet } from "nanoid";

const PREFIXES = {
  component: "sc",
  source: "dc",
  workflow: "p",
  deployment: "d",
  webhook: "wh",
  subscription: "sub",
  auto_subscription: "asub",
  user: "u",
  workspace: "o",
  account: "apn",
  project: "proj",
  external_user: "exu",
  oauth_client: "oac",
  oauth_app: "oa",
  app_override: "aov",
  api_key: "key",
  session: "ses",
  data_store: "ds",
  stash: "stash",
  registry_import: "ri",
  agent_grant: "agr",
  agent_subscription: "ags",
} as const;

/** The characters of tokens, in the order of their values as digits. */
export const ID_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 22 characters of an alphabet of 62 are 131 bits: unguessable. */
export const TOKEN_LENGTH = 22;

/** Make an unguessable name of letters and digits. */
export const newToken = customAlphabet(ID_ALPHABET, TOKEN_LENGTH);

export type ResourceKind = keyof typeof PREFIXES;

/** The type of an id contains its kind: `Id<"source">` is `dc_…` and nothing else type-checks. */
export type Id<K extends ResourceKind> = `${(typeof PREFIXES)[K]}_${string}`;

/** The actor: a user, or a customer's user in a project, who acts through that customer. */
export type ActorId = Id<"user"> | Id<"external_user">;

/** The owner of resources. For an external user, the owner of the project pays. */
export type OwnerId = ActorId | Id<"workspace">;

/** The payer. */
export type PayerId = Id<"user"> | Id<"workspace">;

export function isOwner(value: string): value is OwnerId {
  return isPayer(value) || isId("external_user", value);
}

export function isPayer(value: string): value is PayerId {
  return isId("user", value) || isId("workspace", value);
}

export function newId<K extends ResourceKind>(kind: K): Id<K> {
  return `${PREFIXES[kind]}_${newToken()}`;
}

export function isId<K extends ResourceKind>(kind: K, value: string): value is Id<K> {
  return value.startsWith(`${PREFIXES[kind]}_`);
}

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
  api_key: "key",
  data_store: "ds",
} as const;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 22 characters of an alphabet of 62 are 131 bits: unguessable. */
export const TOKEN_LENGTH = 22;

/** Make an unguessable name of letters and digits. */
export const newToken = customAlphabet(ALPHABET, TOKEN_LENGTH);

export type ResourceKind = keyof typeof PREFIXES;

/** An id says what it names: `Id<"source">` is `dc_…` and nothing else type-checks. */
export type Id<K extends ResourceKind> = `${(typeof PREFIXES)[K]}_${string}`;

/** A user or a workspace: the owner of resources. */
export type OwnerId = Id<"user"> | Id<"workspace">;

export function newId<K extends ResourceKind>(kind: K): Id<K> {
  return `${PREFIXES[kind]}_${newToken()}`;
}

export function isId<K extends ResourceKind>(kind: K, value: string): value is Id<K> {
  return value.startsWith(`${PREFIXES[kind]}_`);
}

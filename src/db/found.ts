import type { OwnerId } from "#domain/ids.ts";

export const FOUND_TYPES = [
  "source",
  "workflow",
  "webhook",
  "account",
  "component",
  "data_store",
  "project",
  "workspace",
  "api_key",
  "oauth_client",
  "external_user",
  "connected_account",
  "deployed_trigger",
  "event",
  "run",
  "delivery",
] as const;

/** A resource that matches the text. `detail` distinguishes it from others of the same name. */
export type Found = {
  type: (typeof FOUND_TYPES)[number];
  id: string;
  name: string;
  detail: string | null;
  /** The resource that it is a part of, such as the project of an external user; null: none. */
  parentId: string | null;
  ownerId: OwnerId;
};

/**
 * How well a text matches, the best first: it is the whole name or id, it is the beginning of one, or it is somewhere
 * in them.
 */
export type Ranked = Found & { rank: number; at: number };

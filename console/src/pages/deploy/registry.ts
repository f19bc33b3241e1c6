import type { components } from "@wellspring/client";

import { api } from "../../api/client.ts";
import type { Page } from "../../components/data-table.tsx";

/** A component in the results. */
export type Found = {
  id: string;
  key: string | null;
  name: string;
  type: "source" | "action";
  version: string;
  description: string | null;
  deprecated: string | null;
};

const PAGE_ROWS = 25;

/** Sources of the registry with most of the words. */
export async function search(
  words: string,
  org: string | undefined,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Page<Found>> {
  const query = { query: words, type: "source" as const, ...paging(org, after) };
  return api.get("/components/search", { params: { query }, signal });
}

/** The newest components of the user's own registry, or of a workspace's. */
export async function readOwn(
  org: string | undefined,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Page<Found>> {
  const page = await api.get("/registry", { params: { query: paging(org, after) }, signal });
  return { ...page, data: page.data.map((published) => foundOf(published)) };
}

function paging(org: string | undefined, after: string | undefined) {
  return {
    limit: PAGE_ROWS,
    ...(after !== undefined && { after }),
    ...(org !== undefined && { org_id: org }),
  };
}

function foundOf({
  component_id: id,
  ...published
}: components["schemas"]["PublishedVersion"]): Found {
  return { id, description: null, ...published };
}

import type { AppContext } from "../context.ts";

/** Where a provider sends browsers back to: to a place of its own for each client, so that no other provider's response is taken for its. */
export function redirectUriOf(
  { apiOrigin }: Pick<AppContext, "apiOrigin">,
  client: string,
): string {
  return `${apiOrigin}/connect/oauth/${encodeURIComponent(client)}/callback`;
}

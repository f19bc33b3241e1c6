import type { AppContext } from "../context.ts";

/** The redirect URI at a provider: one for each client, so that no provider's response is mistaken for another's. */
export function redirectUriOf(
  { apiOrigin }: Pick<AppContext, "apiOrigin">,
  client: string,
): string {
  return `${apiOrigin}/connect/oauth/${encodeURIComponent(client)}/callback`;
}

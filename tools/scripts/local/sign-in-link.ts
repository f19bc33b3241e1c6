import type { Settings } from "./settings.ts";

/**
 * Create a link that signs in to the console once, as the user of the start's API key and as the operator. Undefined:
 * the operator has deleted that user.
 */
export async function signInLink({
  url,
  apiKey,
  variables,
}: Pick<Settings, "url" | "apiKey" | "variables">): Promise<string | undefined> {
  const me = await fetch(`${url}/v1/users/me`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (me.status === 401) return undefined;
  const { id } = await dataOf<{ id: string }>(me);
  const made = await fetch(`${url}/admin/sign_in_links`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${variables["ADMIN_TOKEN"] ?? ""}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ user_id: id, is_operator: true }),
  });
  return (await dataOf<{ url: string }>(made)).url;
}

async function dataOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url}: ${await response.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the platform responds by its contract.
  const { data } = (await response.json()) as { data: T };
  return data;
}

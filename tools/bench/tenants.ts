import { placeOf } from "#sandbox/processes/place.ts";

import { call, type Caller } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";

/** Another user than the platform's own. */
export async function otherUser(platform: RunningPlatform): Promise<Caller> {
  return (await createUser(platform, 0)).caller;
}

/** A user whose code runs in another one of these sandbox processes than the code of the platform's own user. */
export async function userApart(platform: RunningPlatform, sandboxes: number): Promise<Caller> {
  const { id: own } = await call<{ id: `u_${string}` }>(platform, "/users/me");
  for (let attempt = 0; ; attempt += 1) {
    const { id, caller } = await createUser(platform, attempt);
    if (placeOf(id, sandboxes) !== placeOf(own, sandboxes)) return caller;
  }
}

/** A new user. `attempt`: a number that no other user has. */
export async function createUser(
  { url, adminToken }: Pick<RunningPlatform, "url" | "adminToken">,
  attempt: number,
): Promise<{ id: `u_${string}`; caller: Caller }> {
  const operator = { url: url.replace(/v1$/, "admin"), apiKey: adminToken };
  const username = `other${attempt}`;
  const fields = { username, email: `${username}@example.com`, plan: "free" };
  const user = await call<{ id: `u_${string}`; api_key: string }>(operator, "/users", fields);
  return { id: user.id, caller: { url, apiKey: user.api_key } };
}

import { call } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { COMPONENTS } from "./components.ts";
import type { World } from "./world.ts";

type User = { id: string; api_key: string };

/** Create users, a workspace and one resource of each kind, as targets of requests. */
export async function populate(running: RunningPlatform, world: World) {
  const operator = running.adminToken;
  const admin = { url: running.url.replace(/v1$/, "admin"), apiKey: operator };
  const make = async <T>(caller: { url: string; apiKey: string }, path: string, body: object) => {
    const made = await call<T & { id: string }>(caller, path, body);
    world.record(JSON.stringify(made.id));
    return made;
  };
  const newUser = (username: string) =>
    make<User>(admin, "/users", { username, email: `${username}@example.com`, plan: "free" });
  const [owner, stranger] = [await newUser("owner"), await newUser("stranger")];
  const org = { orgname: "engines", name: "Engines", email: "engines@example.com" };
  const { id } = await make<object>(admin, "/workspaces", org);
  world.add("home", id);
  // A request may remove the owner, and then all resources of the workspace return 404.
  const join = async (): Promise<void> => {
    await fetch(`${admin.url}/workspaces/${id}/members/${owner.id}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${operator}` },
    });
  };
  await join();
  const caller = { url: running.url, apiKey: owner.api_key };
  const [echo, timer, , action] = COMPONENTS;
  await make(admin, "/registry", { component_code: timer });
  await make(caller, "/components", { component_code: echo, org_id: id });
  await make(caller, "/components", { component_code: action });
  await make(caller, "/sources", { component_code: echo });
  await make(caller, "/sources", { component_code: timer, org_id: id });
  await make(caller, "/webhooks", { url: "http://127.0.0.1:9/hook" });
  await make(caller, "/data_stores", { name: "Store" });
  const credentials = { api_key: "k" };
  await make(admin, "/accounts", { owner_id: owner.id, app: "shop", name: "Shop", credentials });
  await make(admin, "/workflows", {
    owner_id: owner.id,
    name: "Flow",
    trigger: { type: "http" },
    steps: [{ name: "one", component_code: action, props: { a: "x", b: true } }],
    active: true,
  });
  world.record(await sessionOf(running, owner));
  const tokens = {
    operator,
    owner: owner.api_key,
    stranger: stranger.api_key,
    nobody: undefined,
    fraud: "not-a-key",
  };
  return { tokens, join };
}

/** Sign in to the console; returns the session of the response. */
async function sessionOf({ url }: RunningPlatform, { api_key }: User): Promise<string> {
  const response = await fetch(new URL("/console/session", url), {
    method: "POST",
    body: JSON.stringify({ api_key }),
  });
  return response.text();
}

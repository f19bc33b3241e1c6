import { call, postUnwrapped } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { ACTION, ANSWERING, SHOP, TRIGGER } from "./components.ts";
import type { startShop } from "./fake-shop.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the SDK's types are not installed; results have every shape.
export type Any = any;

/** The loaded SDK: `new` creates its client. */
export type Sdk = {
  PipedreamClient: new (options: object) => Any;
};

/** The context of methods: a customer's project on a separate platform, and the resources of earlier methods. */
export type World = {
  platform: RunningPlatform;
  shop: Awaited<ReturnType<typeof startShop>>;
  sdk: Sdk;
  client: Any;
  credentials: { clientId: string; clientSecret: string };
  project: string;
  made: Record<string, string>;
};

export type Method = (world: World) => Promise<unknown>;

/** The external user of all calls. */
export const USER = "customer-1";

/** A platform with an app, an action, a trigger, a workflow and a customer's project. */
export async function prepareWorld(
  platform: RunningPlatform,
  shop: World["shop"],
  sdk: Sdk,
): Promise<World> {
  const operator = { url: platform.url.replace(/v1$/, "admin"), apiKey: platform.adminToken };
  await call(
    operator,
    "/apps/shop",
    { ...SHOP, request: { base_url: shop.url, headers: { "x-api-key": "{{api_key}}" } } },
    "PUT",
  );
  for (const code of [ACTION, TRIGGER]) await call(operator, "/registry", { component_code: code });
  const { id: owner } = await call<{ id: string }>(platform, "/users/me");
  const workflow = await call<{ id: string; trigger: { endpoint_url: string } }>(
    operator,
    "/workflows",
    {
      owner_id: owner,
      name: "Answering",
      trigger: { type: "http", custom_response: true },
      steps: [{ name: "answer", component_code: ANSWERING }],
    },
  );
  const created = await postUnwrapped<{ id: string }>(platform, "/connect/projects", {
    name: "Conformance",
  });
  const client = await call<{ client_id: string; client_secret: string }>(
    platform,
    "/connect/oauth_clients",
    { name: "Conformance" },
  );
  const credentials = { clientId: client.client_id, clientSecret: client.client_secret };
  const { id: project } = created;
  return {
    platform,
    shop,
    sdk,
    credentials,
    project,
    client: newClient(sdk, platform, { ...credentials, projectId: project }),
    made: { workflow: workflow.id, endpoint: workflow.trigger.endpoint_url },
  };
}

/** A client whose only address is PIPEDREAM_BASE_URL. */
function newClient(sdk: Sdk, platform: RunningPlatform, options: object): Any {
  process.env["PIPEDREAM_BASE_URL"] = new URL(platform.url).origin;
  return new sdk.PipedreamClient({
    projectEnvironment: "development",
    maxRetries: 0,
    ...options,
  });
}

export async function idsOf(page: Any): Promise<string[]> {
  return page.data.map((item: Any) => item.id ?? item.key ?? item.nameSlug);
}

export async function newAccount({ client }: World, name: string): Promise<string> {
  const { token } = await client.tokens.create({ externalUserId: USER });
  const account = await client.accounts.create({
    appSlug: "shop",
    cfmapJson: JSON.stringify({ api_key: "k-1" }),
    connectToken: token,
    externalUserId: USER,
    name,
  });
  return account.id;
}

export async function accountOf(world: World): Promise<string> {
  world.made["account"] ??= await newAccount(world, "Main");
  return world.made["account"];
}

/** Names the external user in a call. */
export const user = { externalUserId: USER };

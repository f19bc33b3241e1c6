import assert from "node:assert/strict";

import type { RunningPlatform } from "../../scripts/platform.ts";
import { accountOf, type Any, type Method, type Sdk, user, USER, type World } from "../world.ts";

/** Components and their runs. */
export const COMPONENTS: Record<string, Method> = {
  ...components("components", "shop-order"),
  ...components("actions", "shop-order"),
  ...components("triggers", "shop-new-order"),
  "actions.run": runAction,
  "fileStash.downloadFile": async (world) => {
    const { client, made } = world;
    if (made["stash"] === undefined) await runAction(world);
    const key = /"s3_?[kK]ey":"([^"]+)"/.exec(made["stash"] ?? "")?.[1];
    assert(key, `There is no key of a file in ${made["stash"]?.slice(0, 300)}`);
    const file = await client.fileStash.downloadFile({ s3Key: key });
    assert.equal(await (await file.blob()).text(), "one top");
  },
  "proxy.get": proxied("get"),
  "proxy.post": proxied("post"),
  "proxy.put": proxied("put"),
  "proxy.patch": proxied("patch"),
  "proxy.delete": proxied("delete"),
  "workflows.invoke": async ({ sdk, platform, credentials, project, made }) => {
    const workflows = workflowsOf(sdk, platform, { ...credentials, projectId: project });
    const response = await workflows.invoke({ urlOrEndpoint: made["endpoint"], body: { size: 1 } });
    assert.deepEqual(answerIn(response), { method: "POST", user: null, body: { size: 1 } });
  },
  "workflows.invokeForExternalUser": async ({ sdk, platform, credentials, project, made }) => {
    const workflows = workflowsOf(sdk, platform, { ...credentials, projectId: project });
    const response = await workflows.invokeForExternalUser({
      urlOrEndpoint: made["endpoint"],
      ...user,
      body: {},
    });
    assert.equal(answerIn(response).user, USER);
  },
};

/** Lists and reads one kind of components. */
function components(
  kind: "components" | "actions" | "triggers",
  key: string,
): Record<string, Method> {
  return {
    [`${kind}.list`]: async ({ client }) => {
      const page = await client[kind].list({ app: "shop" });
      assert(page.data.some((item: Any) => item.key === key));
    },
    [`${kind}.retrieve`]: async ({ client }) => {
      const { data } = await client[kind].retrieve(key);
      assert.equal(data.key, key);
      assert(
        data.configurableProps.some((prop: Any) => prop.name === "shop" && prop.app === "shop"),
      );
    },
    [`${kind}.configureProp`]: async (world) => {
      const { options } = await world.client[kind].configureProp({
        id: key,
        ...user,
        propName: "shelf",
        configuredProps: { shop: { authProvisionId: await accountOf(world) } },
      });
      assert.deepEqual(
        options.map((option: Any) => option.value ?? option.lv?.value),
        ["top", "bottom"],
      );
    },
    [`${kind}.reloadProps`]: async (world) => {
      const answer = await world.client[kind].reloadProps({
        id: key,
        ...user,
        configuredProps: {
          shop: { authProvisionId: await accountOf(world) },
          shelf: "top",
          ...(kind !== "triggers" && { url: "https://example.com" }),
        },
      });
      assert.equal(typeof answer.dynamicProps?.id, "string");
      world.made["dynamic"] = answer.dynamicProps.id;
      const names = answer.dynamicProps.configurableProps.map((prop: Any) => prop.name);
      assert.equal(names.includes("count"), kind !== "triggers");
    },
  };
}

/** Run an action that stores a file in a stash. */
async function runAction(world: World): Promise<void> {
  const { client, shop, made } = world;
  const answer = await client.actions.run({
    id: "shop-order",
    ...user,
    configuredProps: {
      shop: { authProvisionId: await accountOf(world) },
      shelf: "top",
      url: `${shop.url}/orders`,
    },
    stashId: "NEW",
  });
  assert.equal(answer.ret.key, "k-1");
  assert.equal(answer.exports.shelf, "top");
  assert(answer.os.some((one: Any) => JSON.stringify(one).includes("ordering from")));
  assert.equal(typeof answer.stashId, "string");
  made["stash"] = JSON.stringify(answer);
}

/** Each of the proxy's verbs. */
function proxied(verb: "get" | "post" | "put" | "patch" | "delete"): Method {
  return async (world) => {
    const hasBody = ["post", "put", "patch"].includes(verb);
    const answer = await world.client.proxy[verb]({
      url: `${world.shop.url}/proxied/${verb}`,
      accountId: await accountOf(world),
      ...user,
      ...(hasBody && { body: { size: 1 } }),
    });
    assert.equal(answer.key, "k-1");
    assert.equal(answer.method, verb.toUpperCase());
    if (hasBody) assert.deepEqual(JSON.parse(answer.body), { size: 1 });
  };
}

/** The workflow's response, in a header: the SDK returns no bodies of workflows. */
function answerIn({ headers }: Any): Any {
  return JSON.parse(headers.get("x-answer") ?? "null");
}

function workflowsOf(sdk: Sdk, platform: RunningPlatform, options: object): Any {
  return new sdk.PipedreamClient({
    workflowDomain: new URL(platform.url).hostname,
    projectEnvironment: "development",
    ...options,
  }).workflows;
}

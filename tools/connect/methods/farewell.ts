import assert from "node:assert/strict";

import { type Method, USER } from "../world.ts";

/** The methods that delete the resources of the others. */
export const FAREWELL: Record<string, Method> = {
  "accounts.deleteByApp": async (world) => {
    await world.client.accounts.deleteByApp("shop");
    await assert.rejects(world.client.accounts.retrieve(world.made["account"]), {
      statusCode: 404,
    });
  },
  "users.deleteExternalUser": async ({ client }) => {
    await client.users.deleteExternalUser(USER);
    const page = await client.users.list({ q: "customer" });
    assert.deepEqual(page.data, []);
  },
};

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deleteAgentGrant, insertAgentGrant } from "#db/agent-grants.ts";
import { connect } from "#db/client.ts";
import {
  deleteOauthClient,
  insertOauthClient,
  insertOauthToken,
} from "#db/connect/oauth-clients.ts";
import { newId } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { dyingDatabase } from "../support/dying-database.ts";

const db = connect(env.DB);

/** The number of tokens of a grant or of a client. */
async function tokensOf(table: "agent_tokens" | "oauth_tokens", column: string, id: string) {
  const counted = env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`);
  return (await counted.bind(id).first<{ n: number }>())?.n;
}

test("a crash while an agent's key is deleted leaves no token", async () => {
  const { user } = await signUp();
  const id = newId("agent_grant");
  const about = { name: "Key", scope: "actions:run", resource: "https://x.test/mcp" };
  await insertAgentGrant(
    db,
    { id, ownerId: user.id, userId: user.id, clientId: null, createdAt: 1, ...about },
    { hash: id, grantId: id, kind: "key", terms: null, usedAt: null, expiresAt: null },
  );
  expect(await tokensOf("agent_tokens", "grant_id", id)).toBe(1);
  expect(await deleteAgentGrant(db, id, newId("user"))).toBe(false);
  expect(await tokensOf("agent_tokens", "grant_id", id)).toBe(1);
  await deleteAgentGrant(connect(dyingDatabase()), id, user.id).catch(() => undefined);
  expect(await deleteAgentGrant(db, id, user.id)).toBe(false);
  expect(await tokensOf("agent_tokens", "grant_id", id)).toBe(0);
});

test("a crash while an OAuth client is deleted leaves no token", async () => {
  const [{ user }, other] = [await signUp(), await signUp()];
  const id = newId("oauth_client");
  const about = { name: "Client", secretHash: id, createdAt: 1 };
  await insertOauthClient(db, { id, ownerId: user.id, userId: user.id, projectId: null, ...about });
  await insertOauthToken(db, { hash: id, clientId: id, scope: "*", expiresAt: 2 ** 40 });
  expect(await deleteOauthClient(db, other.user.id, id)).toBe(false);
  expect(await tokensOf("oauth_tokens", "client_id", id)).toBe(1);
  await deleteOauthClient(connect(dyingDatabase()), user.id, id).catch(() => undefined);
  expect(await deleteOauthClient(db, user.id, id)).toBe(false);
  expect(await tokensOf("oauth_tokens", "client_id", id)).toBe(0);
});

// @suites loader

import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";

import * as agentTables from "#db/schema/agents.ts";
import * as connectTables from "#db/schema/connect.ts";
import * as sessionTables from "#db/schema/sessions.ts";
import * as tables from "#db/schema/tables.ts";

import { clientOf, operator, signUp, workspaceOf } from "../support/client.ts";
import { accessTokenOf } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";

type Member = Awaited<ReturnType<typeof signUp>>;

/** What a member made in the name of a workspace: the status of a use of it, and why it ends with the membership. */
type Credential = (
  carol: Member,
  workspace: string,
  project: string,
) => Promise<() => Promise<number>>;

const clientOfCarol = async (carol: Member, workspace_id: string) => {
  const { body } = await carol.post("/connect/oauth_clients", { name: "Carol's", workspace_id });
  return { clientId: body.data.client_id, clientSecret: body.data.client_secret };
};

/** Every kind of credential that a person can have, by its table. */
const CREDENTIALS: Record<string, Credential> = {
  // The user's own, which asks for the membership at each use.
  api_keys: async (carol, _, project) => async () =>
    (await carol.get(`/connect/projects/${project}`)).status,
  // Deleted with the membership, and so are its tokens.
  oauth_clients: async (carol, workspace) => {
    const client = await clientOfCarol(carol, workspace);
    return async () => ((await accessTokenOf(client)) === undefined ? 401 : 200);
  },
  oauth_tokens: async (carol, workspace, project) => {
    const token = await accessTokenOf(await clientOfCarol(carol, workspace));
    const connect = clientOf(token, "/v1/connect");
    return async () => (await connect.get(`/projects/${project}`)).status;
  },
  // Of the grant of a key for agents, or of a client of agents, which asks for the membership at each use.
  agent_tokens: async (carol, org_id) => {
    const { body } = await carol.post("/agent_keys", { name: "Robot", scope: "read", org_id });
    const agent = agentOf(body.data.agent_key);
    return async () => (await agent.call("search", { query: "tea" })).status;
  },
};

/** Tables of secrets that give nobody access to what is a workspace's. */
const OTHERS: Record<string, string> = {
  agent_subscriptions: "test/agents/revocations.test.ts ends each",
  authorizations:
    "test/connect/sign-in-refusals.test.ts: a link asks for the membership when it is opened",
  connect_tokens: "of an external user, for four hours at most",
  console_links: "of the user alone",
  sessions: "of the user alone: it asks for the membership at each use, like a key",
  components: "hashes of code",
  file_stashes: "of the files of an external user",
  project_oauth_apps: "the secret of a client at a provider, which nobody can read",
};

test("every table with a secret or a hash of one is a kind of credential, or has a reason", () => {
  const all = [agentTables, connectTables, sessionTables, tables]
    .flatMap((schema) => Object.values(schema))
    .filter((one) => is(one, SQLiteTable));
  const secret = all.filter((table) =>
    Object.values(getTableColumns(table)).some(({ name }) => /hash|secret/.test(name)),
  );
  expect(secret.map(getTableName).toSorted()).toEqual(
    [...Object.keys(CREDENTIALS), ...Object.keys(OTHERS)].toSorted(),
  );
});

test.for(Object.entries(CREDENTIALS))(
  "%s of a former member give no access to a workspace",
  async ([, make]) => {
    const [ada, carol] = [await signUp(), await signUp()];
    const workspace = await workspaceOf(ada, carol);
    const { body } = await ada.post("/connect/projects", { name: "Ours", workspace_id: workspace });
    const use = await make(carol, workspace, body.id);
    expect(await use()).toBe(200);
    await operator.delete(`/workspaces/${workspace}/members/${carol.user.id}`);
    expect([401, 403, 404]).toContain(await use());
  },
);

test("a client that a member made ends with the member's account, and others' clients stay", async () => {
  const [ada, carol] = [await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, carol);
  const theirs = await clientOfCarol(carol, workspace);
  const ours = await clientOfCarol(ada, workspace);
  await operator.delete(`/users/${carol.user.id}?force=true`);
  expect(await accessTokenOf(theirs)).toBeUndefined();
  expect(await accessTokenOf(ours)).toEqual(expect.any(String));
  const { body } = await ada.get("/connect/oauth_clients");
  expect(body.data).toMatchObject([{ client_id: ours.clientId }]);
});

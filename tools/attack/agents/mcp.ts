import {
  type ApiResponse,
  hold,
  newTenant,
  operate,
  send,
  type Tenant,
  type World,
} from "../world.ts";

/** The app of the actions and accounts of these attacks. */
export const APP = "vault_of_attacks";

const REVISION = "2026-07-28";

/** The metadata of a request in this revision of the protocol. */
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "attack", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Params = Record<string, unknown>;

// Results have every shape, like those of the API.
type Any = ApiResponse["data"];

/** A JSON-RPC response, with its HTTP status. */
export type RpcResponse = { status: number; text: string; result: Any; error: Any };

/** The result of a tool: its content from outside, or its failure. */
type ToolResponse = RpcResponse & { content: Any; failure: Any };

export type Agent = ReturnType<typeof agentOf>;

/** The headers of a request. */
function headersFor(token: string, method: string, { name }: Params): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

/** A request as a message. */
function messageOf(method: string, params: Params) {
  return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } };
}

/** A client of the MCP endpoint; `query` and `headers` are those of every request. */
export function agentOf(
  { origin }: World,
  token: string,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const request = async (method: string, params: Params = {}): Promise<RpcResponse> => {
    const { status, text } = await send(`${origin}/mcp${query}`, {
      method: "POST",
      body: messageOf(method, params),
      headers: { ...headersFor(token, method, params), ...headers },
    });
    hold(text.startsWith("{"), `${method} returned ${status} ${text.slice(0, 200)}`);
    const { result, error } = JSON.parse(text);
    return { status, text, result, error };
  };
  const tool = async (name: string, args: Params = {}): Promise<ToolResponse> => {
    const response = await request("tools/call", { name, arguments: args });
    const { result, error } = response;
    // A failed action has a result, too; a refusal has none.
    const isRefused = result?.isError && !result.structuredContent;
    const failure = isRefused ? JSON.parse(result.content[0].text) : error;
    return { ...response, content: result?.structuredContent?.untrusted_content, failure };
  };
  return { token, request, tool };
}

/** A user with an agent that has the user's API key. */
export async function newAgent(world: World) {
  const tenant = await newTenant(world);
  return { tenant, agent: agentOf(world, tenant.key) };
}

/** An agent with a key of the user's for agents. */
export async function keyedAgent(
  world: World,
  tenant: Tenant,
  scope: string,
  more: object = {},
): Promise<Agent> {
  const fields = { name: "Robot", scope, ...more };
  const { data, text } = await tenant.call("POST", "/agent_keys", fields);
  hold(data?.agent_key, `The API created no key: ${text}`);
  return agentOf(world, data.agent_key);
}

/** Connect an account of a user. Returns its id. */
export async function accountOf(tenant: Tenant, secret: string, app = APP): Promise<string> {
  const fields = { app, name: "Main", credentials: { api_key: secret } };
  const { data, text } = await tenant.call("POST", "/accounts", fields);
  hold(data?.id, `The API connected no account: ${text}`);
  return data.id;
}

/** Declare the app of the attacks, whose accounts have an API key. */
export async function declareApp(world: World): Promise<void> {
  const fields = { name: "Vault", auth_type: "keys", fields: [{ name: "api_key" }] };
  const { status, text } = await operate(world, "PUT", `/apps/${APP}`, fields);
  hold(status === 200, `The app: ${status} ${text}`);
}

/** The prop by which a component uses an account of the app. */
export const ACCOUNT_PROP = `account: { type: "app", app: "${APP}" }`;

/** An action that returns the key of the account it was given. */
export const READS_KEY = { props: ACCOUNT_PROP, code: `return this.account.$auth.api_key;` };

/** The parts of a component's code. */
type Parts = { code?: string; props?: string; more?: string; name?: string; hooks?: string };

/** Save an action of a user's. Returns its key. */
export function savedAction(tenant: Tenant, parts: Parts = {}): Promise<string> {
  const { code = "", props = "", more = "", name = "Act" } = parts;
  return saved(tenant, "act", (key) => {
    const about = `key: "${key}", name: ${JSON.stringify(name)}, version: "0.1.0", type: "action"`;
    return `export default { ${about}, ${more} props: { ${props} }, async run({ $ }) { ${code} } };`;
  });
}

/** Save a source of a user's, which emits each event that it is sent. Returns its key. */
export function savedSource(tenant: Tenant, parts: Parts = {}): Promise<string> {
  const { props = "", more = "", name = "Orders", hooks = "" } = parts;
  return saved(tenant, "orders", (key) => {
    const about = `key: "${key}", name: ${JSON.stringify(name)}, version: "0.1.0", type: "source"`;
    return `export default { ${about}, ${more} props: { http: "$.interface.http", ${props} }, hooks: { ${hooks} },
      async run({ body }) { this.$emit(body); } };`;
  });
}

async function saved(
  tenant: Tenant,
  kind: string,
  codeOf: (key: string) => string,
): Promise<string> {
  const key = `${APP}-${kind}-${crypto.randomUUID().slice(0, 8)}`;
  const { status, text } = await tenant.call("POST", "/components", {
    component_code: codeOf(key),
  });
  hold(status === 200, `The API saved no component: ${status} ${text.slice(0, 300)}`);
  return key;
}

/** Checks that a request was refused with this code. */
export function holdRefused({ error, text }: RpcResponse, code: number, what: string): void {
  hold(error?.code === code, `${what} got ${text.slice(0, 300)}`);
}

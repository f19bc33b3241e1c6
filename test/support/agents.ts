import { accountOf, newCustomer } from "./connect.ts";
import { agentOf } from "./mcp.ts";

type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** Save a customer's action under a key of the app. Returns the key. */
export async function savedAction(
  { ada }: Pick<Customer, "ada">,
  { app = "github", name = "Act", code = "", props = "", more = "" },
): Promise<string> {
  const key = `${app}-act-${crypto.randomUUID().slice(0, 8)}`;
  const component_code = `export default {
    key: "${key}", name: "${name}", description: "${name}", version: "0.1.0", type: "action", ${more}
    props: { ${props} },
    async run({ $ }) { ${code} },
  };`;
  const { status, body } = await ada.post("/components", { component_code });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return key;
}

/** An app prop as components declare it. */
export const appProp = (app: string) => `${app}: { type: "app", app: "${app}" }`;

/** A customer with a user who has an account at GitHub, and an agent that acts for the user. */
export async function newAgent(externalId = "one") {
  const customer = await newCustomer();
  const account = await accountOf(customer, externalId);
  const headers = {
    "x-pd-project-id": customer.project,
    "x-pd-external-user-id": externalId,
  };
  return { customer, account, headers, agent: agentOf(customer.token, { headers }) };
}

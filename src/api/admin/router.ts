import { documentOf, FIELD_PARAMETERS, withBearer } from "../document.ts";
import { createRouter } from "../openapi.ts";
import { dataStores } from "./data-stores.ts";
import { mailbox } from "./mailbox.ts";
import { quotas } from "./quotas.ts";
import { registry } from "./registry.ts";
import { users } from "./users.ts";
import { workflows } from "./workflows.ts";
import { workspaces } from "./workspaces.ts";

/** The operator plane: what the v1 API by its spec cannot do. */
export const admin = withBearer(createRouter());
for (const resource of [users, workspaces, quotas, registry, dataStores, workflows, mailbox])
  admin.route("/", resource);

export function adminDocument() {
  return documentOf(admin, {
    title: "Wellspring: operator plane",
    base: "/admin",
    parameters: FIELD_PARAMETERS,
  });
}

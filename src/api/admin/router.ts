import { createRouter, documentOf, withBearer } from "../openapi.ts";
import { dataStores } from "./data-stores.ts";
import { registry } from "./registry.ts";
import { users } from "./users.ts";
import { workspaces } from "./workspaces.ts";

/** The operator plane: what the v1 API by its spec cannot do. */
export const admin = withBearer(createRouter());
for (const resource of [users, workspaces, registry, dataStores]) admin.route("/", resource);

export function adminDocument() {
  return documentOf(admin, "Wellspring: operator plane", "/admin");
}

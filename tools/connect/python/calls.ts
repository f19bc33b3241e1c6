import type { PythonCall } from "./call.ts";
import { ACCOUNT_CALLS } from "./calls/accounts.ts";
import { COMPONENT_CALLS } from "./calls/components.ts";
import { PROJECT_CALLS } from "./calls/projects.ts";
import { TRIGGER_CALLS } from "./calls/triggers.ts";

/** The methods that work with no server, and the reason. */
export const FAULTY = {
  "workflows.invoke": "2.1.19 puts its base URL before the URL of the workflow",
  "workflows.invoke_for_external_user": "2.1.19 puts its base URL before the URL of the workflow",
};

/** Every other method, in an order in which later ones use the results of earlier ones. */
export const PYTHON_CALLS: readonly PythonCall[] = [
  ...PROJECT_CALLS,
  ...ACCOUNT_CALLS,
  ...COMPONENT_CALLS,
  ...TRIGGER_CALLS,
  {
    call: "accounts.delete_by_app",
    request: "DELETE /v1/connect/{project}/apps/{app_id}/accounts",
    args: () => ({ app_id: "shop" }),
  },
  {
    call: "users.delete_external_user",
    request: "DELETE /v1/connect/{project}/users/{external_user_id}",
    args: ({ user }) => ({ external_user_id: user }),
  },
];

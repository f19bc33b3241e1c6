import type { Answer, Made, PythonCall } from "../call.ts";
import {
  EVENT,
  KEYED_WEBHOOK,
  pageShape,
  type Shape,
  TRIGGER,
  TRIGGER_WEBHOOKS,
} from "../shapes.ts";

const WORKFLOWS: Shape = { workflow_ids: ["text"] };

const ofUser = ({ trigger, user }: Made) => ({ trigger_id: trigger, external_user_id: user });

/** Triggers of external users. */
export const TRIGGER_CALLS: readonly PythonCall[] = [
  {
    call: "triggers.deploy",
    request: "POST /v1/connect/{project}/triggers/deploy",
    args: ({ user, account, shop }) => ({
      id: "shop-new-order",
      external_user_id: user,
      configured_props: { shop: { authProvisionId: account } },
      webhook_url: `${shop}/python`,
      emit_on_deploy: true,
    }),
    answer: { data: TRIGGER },
    unwraps: true,
    made: { trigger: "id" },
    check: ({ type }) => type === "DeployedComponent",
  },
  {
    call: "deployed_triggers.list",
    request: "GET /v1/connect/{project}/deployed-triggers",
    query: ["external_user_id", "limit", "emitter_type"],
    args: ({ user }) => ({ external_user_id: user, limit: 1, emitter_type: "source" }),
    answer: pageShape(TRIGGER),
    check: ({ data }, { trigger }) => data.some((item: Answer) => item.id === trigger),
  },
  onTrigger("retrieve", "GET", "", { answer: { data: TRIGGER }, unwraps: true }),
  onTrigger("update", "PUT", "", {
    args: (made) => ({ ...ofUser(made), name: "Renamed", active: true }),
    answer: { data: TRIGGER },
    unwraps: true,
    check: ({ name }) => name === "Renamed",
  }),
  onTrigger("list_events", "GET", "/events", {
    query: ["external_user_id", "n"],
    args: (made) => ({ ...ofUser(made), n: 10 }),
    answer: { data: [EVENT] },
    unwraps: true,
    check: (answer) => answer.some(({ e }: Answer) => e.deployed === true),
  }),
  onTrigger("list_webhooks", "GET", "/webhooks", {
    answer: TRIGGER_WEBHOOKS,
    made: { webhook: "webhooks.0.id" },
  }),
  onTrigger("retrieve_webhook", "GET", "/webhooks/{webhook_id}", {
    args: (made) => ({ ...ofUser(made), webhook_id: made["webhook"] }),
    answer: KEYED_WEBHOOK,
  }),
  onTrigger(
    "regenerate_webhook_signing_key",
    "POST",
    "/webhooks/{webhook_id}/regenerate_signing_key",
    {
      args: (made) => ({ ...ofUser(made), webhook_id: made["webhook"] }),
      answer: KEYED_WEBHOOK,
    },
  ),
  onTrigger("update_webhooks", "PUT", "/webhooks", {
    args: (made) => ({ ...ofUser(made), webhook_urls: [`${made["shop"]}/other`] }),
    answer: TRIGGER_WEBHOOKS,
    check: ({ webhook_urls: urls }, { shop }) => urls[0] === `${shop}/other`,
  }),
  onTrigger("update_workflows", "PUT", "/pipelines", {
    args: (made) => ({ ...ofUser(made), workflow_ids: [made["workflow"]] }),
    answer: WORKFLOWS,
    check: ({ workflow_ids: ids }, { workflow }) => ids[0] === workflow,
  }),
  onTrigger("list_workflows", "GET", "/pipelines", { answer: WORKFLOWS }),
  onTrigger("delete", "DELETE", "", {
    query: ["external_user_id", "ignore_hook_errors"],
    args: (made) => ({ ...ofUser(made), ignore_hook_errors: true }),
  }),
];

/** A method on one deployed trigger. Its external user is in the query of each. */
function onTrigger(
  name: string,
  verb: string,
  path: string,
  more: Partial<PythonCall>,
): PythonCall {
  return {
    call: `deployed_triggers.${name}`,
    request: `${verb} /v1/connect/{project}/deployed-triggers/{trigger_id}${path}`,
    query: ["external_user_id"],
    args: ofUser,
    ...more,
  };
}

import { PROPS_SO_FAR, STASH_ID } from "./common.ts";
import { OF_EXTERNAL_USER } from "./connect.ts";
import { ANYWHERE, type FieldTable, merged } from "./table.ts";

const COMPONENT_VERSION = "The requested version; absent: the newest";
const SIGNING_KEY =
  "Key of the signature in x-pd-signature: HMAC-SHA256 of the time, a dot and the body";
const EVALUATION_ERRORS = "Messages of errors that the component threw; may be empty";

const COLLECTION = {
  q: "Words of name, app, key or description, or their beginnings. Stop words are ignored, plurals and typos are tolerated",
  app: "Only components that use this app, by its slug",
  registry: "public: components of the registry; private: components of the project's owner",
  component_type: "Only components of this type; without effect on actions and triggers",
  id: "Key of the component, or its id",
  version: COMPONENT_VERSION,
};

/** Fields of the Connect API's components, actions and triggers. */
export const CONNECT_COMPONENT_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    dynamic_props_id: "dynamic_props.id from an earlier response for the component and this user",
    dynamicProps:
      "The same as dynamic_props, under the names that JavaScript clients read; absent for clients with `x-fern-language: Python`",
    configurable_props: "The props of the component, in the order of its definition",
    observations: "Always empty: log lines of an evaluation are not stored",
    errors: EVALUATION_ERRORS,
    blocking: "Without effect: the response always waits for the component",
    prop_name: "The prop to list the options of",
    page: "Number of the page, from 0, which options() receives as page",
    prev_context:
      "The context of the previous page, JSON of the component's own, which options() receives as prevContext",
    query: "Text that the user has typed, for props with useQuery",
    options: "The choices",
    string_options: "The choices as texts; null: some have a value that differs from its label",
    context: "JSON of the component's own for the next page; null: it has none",
    dynamic_props: "The props of the component with this configuration; absent: it threw an error",
    "dynamic_props.id": "Id of the added props: the dynamic_props_id of later requests",
    "dynamicProps.id": "The same as dynamic_props.id",
    "dynamicProps.configurableProps": "The same as dynamic_props.configurable_props",
  },
  ...collections(),
  runAction: {
    id: "Key of an action, or its id",
    version: "The required version of the action; absent: any",
    dynamic_props_id:
      "Not needed, as additionalProps is evaluated with the props of this run; one for another component or user is refused",
    stash_id: STASH_ID,
  },
  ConnectComponent: {
    key: "Key of the component; its id if it has no key",
    name: "Name of the component in its definition",
    description: "Description in its definition; absent: it has none",
    component_type: "Whether it is deployed as a trigger or run as an action",
    stash: "Whether a stash may or must be named to run it; absent: it has no dir prop",
    annotations: "Hints for its callers, declared by the component: JSON of its own",
  },
  DeployedTrigger: {
    id: "Id of the deployed trigger, `dc_…`",
    type: "Kind of the trigger: a component",
    owner_id: "The external user that owns it, `exu_…`",
    external_user_id: "The customer's own id of that user",
    component_id: "The component that it runs, `sc_…`",
    component_key: "Key of the component; absent: it has none",
    configured_props:
      "Values of its props by name, JSON of the component's own; an HTTP interface has its endpoint_url, secrets are left out",
    active: "Whether its timers and endpoint trigger it",
    updated_at: "Time of the last change, epoch milliseconds",
    name: "Name of the trigger",
    name_slug: "Slug of the name, unique among the triggers of its owner",
    emit_on_deploy: "Whether it emits events of its deploy hook",
    webhook_signing_key: `${SIGNING_KEY}; only in the response to the deployment`,
    account_errors: "Accounts that were deleted or are dead: runs that need them fail",
    created_at: "Time of the deployment, epoch milliseconds",
    "account_errors.prop": "The prop with the account",
    "account_errors.account_id": "The account, `apn_…`",
    "account_errors.error": "Reason why it provides no credentials",
  },
  deployTrigger: {
    id: "Key of the component, or its id",
    version: COMPONENT_VERSION,
    workflow_id: "A workflow of the project's owner that receives the events, `p_…`; null: none",
    webhook_url: "URL that the events are sent to, with http or https; null: none",
    emit_on_deploy: "Whether it emits events of its deploy hook; absent: it does",
  },
  "deployed-triggers": {
    external_user_id:
      "The product's own id of the external user, 1 to 250 characters. Required for a server, optional with an API key; with a connect token the token's user",
  },
  listDeployedTriggers: {
    external_user_id: OF_EXTERNAL_USER,
    emitter_type: "Only triggers of this kind: all are of kind source",
  },
  updateDeployedTrigger: {
    name: "Name of the trigger; null or absent: unchanged",
    active: "Whether its timers and endpoint trigger it; absent: unchanged",
    configured_props:
      "Values of props by name, merged into the current ones: JSON of the component's own, checked by the type of each prop",
    emit_on_deploy:
      "Whether it emits events of its deploy hook: only recorded, because the hook has run; absent: unchanged",
  },
  deleteDeployedTrigger: {
    ignore_hook_errors: "Without effect: an error of the deactivate hook never stops the deletion",
  },
  listEventsOfDeployedTrigger: {
    n: "Maximum events, 1 to 100",
    e: "The emitted payload: any JSON",
    k: "Kind of the observation: an emit",
    ts: "Time when the event was stored, epoch milliseconds",
    id: "Id of the event in its trigger, `<epoch milliseconds>-<count>`",
    sum: "The summary in the component's emit; absent: none",
  },
  TriggerWebhook: {
    id: "Id of the webhook, `wh_…`",
    url: "URL that receives events, by POST",
    signing_key: SIGNING_KEY,
    created_at: "Time of creation, epoch milliseconds",
    signing_key_set: "Whether requests are signed",
    updated_at: "Time of the last change, epoch milliseconds",
  },
  ...webhookLists(),
  listWorkflowsOfDeployedTrigger: { workflow_ids: "The workflows, `p_…`" },
  setWorkflowsOfDeployedTrigger: {
    workflow_ids: "All workflows that receive the events from now on, `p_…`, 100 at most",
  },
};

/** The operations of components, actions and triggers. */
function collections(): FieldTable<string> {
  const tables = ["component", "action", "trigger"].map((noun): FieldTable<string> => {
    const word = noun.charAt(0).toUpperCase() + noun.slice(1);
    return {
      [`/${noun}s`]: { key: `Key of the ${noun}, or its id` },
      [`${noun}s`]: COLLECTION,
      [`configure${word}Prop`]: PROPS_SO_FAR,
      [`reload${word}Props`]: PROPS_SO_FAR,
    };
  });
  return merged(...tables);
}

/** The webhooks of a trigger. */
function webhookLists(): FieldTable<string> {
  const listed = {
    webhook_urls: "URLs of the webhooks",
    webhooks: "The webhooks that receive the events",
    "webhooks.id": "Id of the webhook, `wh_…`",
    "webhooks.url": "URL that receives events, by POST",
    "webhooks.signing_key": `${SIGNING_KEY}. Only in the response that creates the webhook`,
    "webhooks.signing_key_set": "Whether requests are signed",
  };
  const given = {
    ...listed,
    webhook_urls: "All URLs that receive the events from now on, with http or https, 100 at most",
  };
  return {
    listWebhooksOfDeployedTrigger: listed,
    setWebhooksOfDeployedTrigger: given,
  };
}

/** Descriptions of operations whose contracts have none, by operation id. */
export const CONNECT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  validateConnectToken:
    "Checks a connect token without using it up, and returns the app and account that it connects. Needs no other credentials.",
  listApps: "The apps that components use or the operator configured, in pages.",
  getApp: "One app by its slug.",
  listAppCategories: "The operator's categories of apps.",
  getAppCategory: "One category of apps by its id.",
  listProjects: "The projects that the caller may use, newest first.",
  createProject: "Creates a project of the caller or of the named workspace.",
  getProject: "One project.",
  updateProject: "Changes the named fields of a project. Null removes app_name or support_email.",
  deleteProject:
    "Deletes a project with its external users, accounts and triggers. They are hidden at once and deleted within minutes.",
  setProjectLogo: "Sets the logo that the connect page shows.",
  getProjectAgentQuotas:
    "The quotas of agents of all users of the project together, which the operator sets, the limits and the current use.",
  getProjectInfo: "The apps with OAuth clients of the project.",
  getProjectWebhook:
    "The webhook that is notified of connected accounts in this environment; without data if there is none.",
  putProjectWebhook:
    "Sets the URL that is notified of connected accounts in this environment. The first call creates and returns the signing key.",
  deleteProjectWebhook: "Deletes the webhook of this environment with its waiting notifications.",
  regenerateProjectWebhookKey: "Gives the webhook of this environment a new signing key.",
  listOauthClients: "The OAuth clients of the caller, newest first, without their secrets.",
  createOauthClient:
    "Creates an OAuth client, with which a server gets access tokens. Only this response contains its secret.",
  revokeOauthClient: "Revokes an OAuth client. Its access tokens stop working.",
  createConnectToken:
    "Creates a connect token, with which the browser of one external user connects one account.",
  listExternalUsers: "The external users of this environment, newest first.",
  deleteExternalUser:
    "Deletes an external user with accounts, triggers and data. They are hidden at once and deleted within minutes.",
  getExternalUserAgentQuotas:
    "The quotas of agents of an external user, the limits and the current use.",
  setExternalUserAgentQuotas:
    "Sets quotas of agents of an external user. Those of the project hold too. A lower quota ends no subscription.",
  listConnectedAccounts: "The accounts that external users connected, newest first.",
  connectAccount:
    "Connects an account by its keys, like the connect page. This uses up the connect token.",
  getConnectedAccount: "One account of an external user.",
  deleteConnectedAccount:
    "Deletes an account. Triggers that use it fail from then on and name it in account_errors.",
  deleteConnectedAccountsOfApp:
    "Deletes all accounts of an app; with a connect token, those of its user.",
  listAccountsOfExternalUser: "All accounts of an external user, in one list without pages.",
  listProjectOauthApps: "The project's own OAuth clients at providers, newest first.",
  createProjectOauthApp: "Adds the project's own OAuth client at the provider of an app.",
  getProjectOauthApp: "One OAuth client of the project, without its secret.",
  updateProjectOauthApp:
    "Changes the named fields of an OAuth client. Accounts that it connected are refreshed with its new secret.",
  deleteProjectOauthApp:
    "Deletes an OAuth client. Accounts that it connected work until their access tokens expire.",
  listAppOverrides: "The app overrides of the project, newest first.",
  createAppOverride:
    "Presets fields or the OAuth client of an app, for connections that name the override.",
  getAppOverride: "One app override, without the values of secret fields.",
  updateAppOverride:
    "Changes the named fields of an app override. Connected accounts keep their values.",
  deleteAppOverride: "Deletes an app override. Connected accounts keep their values.",
  runAction: "Runs an action for an external user. If it fails, its error is in os.",
  ...componentTexts(),
  deployTrigger:
    "Deploys a trigger for an external user, with a webhook or a workflow that receives its events.",
  listDeployedTriggers: "The deployed triggers of external users, newest first.",
  getDeployedTrigger: "One deployed trigger with its configured props.",
  updateDeployedTrigger: "Changes the named fields of a deployed trigger.",
  deleteDeployedTrigger: "Runs the deactivate hook of a trigger, and deletes it with its webhooks.",
  listEventsOfDeployedTrigger: "The latest n events of a trigger, newest first.",
  listWebhooksOfDeployedTrigger: "The webhooks that receive the events of a trigger.",
  setWebhooksOfDeployedTrigger:
    "Sets the URLs that receive the events of a trigger. Webhooks of other URLs are deleted; new ones are returned with their signing keys.",
  getWebhookOfDeployedTrigger: "One webhook of a trigger with its signing key.",
  regenerateSigningKeyOfDeployedTrigger:
    "Gives a webhook of a trigger a new signing key. The former one also signs for a day.",
  listWorkflowsOfDeployedTrigger: "The workflows that receive the events of a trigger.",
  setWorkflowsOfDeployedTrigger: "Sets the workflows that receive the events of a trigger.",
  downloadStashedFile: "The content of a file that an action stored in a stash.",
};

/** The same four operations on components, actions and triggers. */
function componentTexts(): Record<string, string> {
  return Object.fromEntries(
    ["Component", "Action", "Trigger"].flatMap((word) => {
      const noun = word.toLowerCase();
      return [
        [
          `listConnect${word}s`,
          `The ${noun}s that match q, best first; without q all, by their keys.`,
        ],
        [`getConnect${word}`, `One ${noun} by its key or id.`],
        [`configure${word}Prop`, `Runs the async options of a prop of ${article(noun)}.`],
        [
          `reload${word}Props`,
          `Runs additionalProps of ${article(noun)} and returns its current props.`,
        ],
      ];
    }),
  );
}

function article(noun: string): string {
  return `${noun.startsWith("a") ? "an" : "a"} ${noun}`;
}

import { V1_DESCRIPTIONS } from "../v1/descriptions.ts";

/** Descriptions of operations whose contracts have none, by operation id; some are those of the API, too. */
export const ADMIN_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...V1_DESCRIPTIONS,
  listUsers: "All users, newest first; q matches a part of their id, e-mail address or name.",
  createUser: "Creates a user and issues an API key, which only this response contains.",
  listUserSessions: "The sessions of a user at the console that have not ended, newest first.",
  deleteUserSession: "Ends a session of a user. Its cookie becomes invalid.",
  listAllParkedEvents:
    "Parked events of all owners, newest first: 100 at most, without their content.",
  listDeadLetters:
    "Failed deliveries of all webhooks with failed attempts in the last hours, newest first: 100 at most, without bodies.",
  listApiKeys: "The API keys of a user by name and last use, never the keys.",
  issueApiKey: "Issues an API key to a user. Only this response contains it.",
  revokeApiKey: "Revokes an API key, and ends the sessions that it opened.",
  createConsoleLink:
    "Creates a link that signs in to the console, once and within an hour, as a user, as an operator, or as both.",
  readUser: "One user with plan, quotas and numbers of owned resources.",
  updateUser: "Changes a user. Refuses unknown fields and an address of another user.",
  deleteUser:
    "Deletes a user. With force also deletes all of the user's resources; without it, a refusal lists them.",
  listAllWorkspaces:
    "All workspaces, newest first; q matches a part of their id, names or e-mail address.",
  listMembersOf: "The members of a workspace, newest first.",
  getUserUsage: "Usage of a user by UTC day, oldest first.",
  getWorkspaceUsage: "Usage of a workspace by UTC day, oldest first.",
  listFailingWebhooks:
    "The webhooks of all owners with failed attempts, most failures first, 100 at most.",
  listDeliveriesOfWebhook: "The deliveries of any webhook with their state, newest first.",
  retryDeliveryOfWebhook: "Attempts one delivery of any webhook again.",
  createWorkspace: "Creates a workspace.",
  addMember: "Makes a user a member of a workspace.",
  removeMember: "Removes a user from the members of a workspace.",
  setUserQuotas: "Sets the daily quotas of a user.",
  setWorkspaceQuotas: "Sets the daily quotas of a workspace.",
  getUserEgress: "The requests and bytes that a user's components sent, for each UTC day.",
  getWorkspaceEgress:
    "The requests and bytes that a workspace's components sent, for each UTC day.",
  getMetrics: "The metrics of a local run since its start, as OpenMetrics text.",
  publishComponent: "Bundles and evaluates a component, and publishes it in the global registry.",
  listAllAccounts: "The connected accounts of all owners, without their credentials.",
  createAccount: "Connects an account for a user or a workspace.",
  readAccount: "One connected account, without its credentials.",
  updateAccount: "Changes the name, the external id or the credentials of an account.",
  deleteAccount: "Deletes an account, also one that is in use.",
  listAgentSubscriptions:
    "The subscriptions of agents by MCP, newest first, with owner, callback and expiry.",
  getProjectAgentQuotas:
    "The quotas of agents of all external users of a project together, the limits and the current use.",
  setProjectAgentQuotas:
    "Sets quotas of agents of all external users of a project together. A lower quota ends no subscription.",
  listAllAlerts: "The open alerts of all owners, newest first; state selects ended ones.",
  listOauthApps: "The OAuth clients that refresh accounts, without their secrets.",
  putOauthApp: "Sets the OAuth client of an app.",
  getOauthApp: "The OAuth client of an app, without its secret.",
  deleteOauthApp: "Deletes the OAuth client of an app.",
  dropOauthAppOverrides:
    "Drops the token URL and the authentication that were stored with a client: those of its app apply.",
  listApps:
    "All apps by slug, with the place that states each field; q matches a part of their slug or name.",
  getApp: "The configuration of an app, with the place that states each field.",
  putApp: "Sets the configuration of an app.",
  deleteApp: "Deletes the operator's configuration of an app.",
  takeProviderEvent: "Dispatches an event of a provider to the sources that listen to the app.",
  listAllDataStores: "The data stores of all owners, newest first.",
  createDataStoreFor: "Creates a data store for a user or a workspace.",
  readDataStore: "One data store with its size.",
  removeDataStore: "Deletes a data store with its records.",
  readRecords: "The records of a data store, in pages.",
  listWorkflows: "The workflows of all owners, newest first.",
  createWorkflow: "Deploys a workflow for a user or a workspace.",
  getWorkflow: "One workflow with its trigger and steps.",
  updateWorkflow: "Changes a workflow.",
  deleteWorkflow: "Deletes a workflow.",
  listMail: "The mails of workflows that no email binding accepted, newest first.",
  rewrapSecrets: "Rewraps some stored secrets with the current master key; repeat it from next.",
};

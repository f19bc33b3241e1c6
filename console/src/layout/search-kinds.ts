import {
  BuildingsIcon,
  CubeIcon,
  DatabaseIcon,
  FlowArrowIcon,
  type Icon,
  IdentificationCardIcon,
  KeyIcon,
  LightningIcon,
  PaperPlaneTiltIcon,
  PlayIcon,
  PlugsConnectedIcon,
  UserIcon,
  WebhooksLogoIcon,
} from "@phosphor-icons/react";

import type { Found, FoundType } from "../api/found.ts";

type Kind = { label: string; icon: Icon; pathOf: (found: Found) => string };

/** The label of each type of result, and the page that shows it. */
export const KINDS: Record<FoundType, Kind> = {
  event: { label: "Events", icon: LightningIcon, pathOf: eventPath },
  run: {
    label: "Runs",
    icon: PlayIcon,
    pathOf: ({ id, parent_id: workflow }) => `/workflows/${part(workflow)}/runs/${part(id)}`,
  },
  delivery: {
    label: "Deliveries",
    icon: PaperPlaneTiltIcon,
    pathOf: ({ id, parent_id: webhook }) => `/webhooks/${part(webhook)}/deliveries/${part(id)}`,
  },
  source: { label: "Sources", icon: LightningIcon, pathOf: ({ id }) => `/sources/${part(id)}` },
  workflow: {
    label: "Workflows",
    icon: FlowArrowIcon,
    pathOf: ({ id }) => `/workflows/${part(id)}`,
  },
  webhook: {
    label: "Webhooks",
    icon: WebhooksLogoIcon,
    pathOf: ({ id }) => `/webhooks/${part(id)}`,
  },
  account: {
    label: "Accounts",
    icon: IdentificationCardIcon,
    pathOf: ({ id }) => `/settings/accounts/${part(id)}`,
  },
  component: {
    label: "Components",
    icon: CubeIcon,
    // A component is deployed by its key, which is its detail.
    pathOf: ({ id, detail }) => `/deploy/component/${part(detail ?? id)}`,
  },
  data_store: {
    label: "Data stores",
    icon: DatabaseIcon,
    pathOf: ({ id }) => `/settings/data-stores/${part(id)}`,
  },
  project: {
    label: "Projects",
    icon: PlugsConnectedIcon,
    pathOf: ({ id }) => `/connect/${part(id)}`,
  },
  workspace: {
    label: "Workspaces",
    icon: BuildingsIcon,
    pathOf: ({ id }) => `/settings/workspaces/${part(id)}`,
  },
  api_key: { label: "API keys", icon: KeyIcon, pathOf: () => "/settings/keys" },
  oauth_client: { label: "OAuth clients", icon: KeyIcon, pathOf: () => "/connect/clients" },
  external_user: {
    label: "External users",
    icon: UserIcon,
    pathOf: (found) => projectPath(found, "users", "q"),
  },
  connected_account: {
    label: "Accounts of external users",
    icon: IdentificationCardIcon,
    pathOf: (found) => projectPath(found, "accounts", "user"),
  },
  deployed_trigger: {
    label: "Triggers of external users",
    icon: LightningIcon,
    pathOf: (found) => projectPath(found, "triggers", "user"),
  },
};

/** The tabs of a source that show channels of the platform. */
const TABS: Record<string, string> = { $errors: "/errors", $logs: "/logs" };

function eventPath(found: Found): string {
  const { id, parent_id: emitter } = found;
  const channel = found.detail ?? "";
  if (emitter?.startsWith("p_") === true)
    return `/workflows/${part(emitter)}/events?${chosen(channel)}event=${part(id)}`;
  const tab = TABS[channel] ?? "";
  // The tab of events shows other channels of the platform only if they are selected.
  const choice = tab === "" && channel.startsWith("$") ? chosen(channel) : "";
  return `/sources/${part(emitter)}${tab}?${choice}event=${part(id)}`;
}

function chosen(channel: string): string {
  return channel === "" ? "" : `channel=${part(channel)}&`;
}

/** A tab of a project, filtered by the external user, whose id is the name of the result. */
function projectPath({ name, detail, parent_id: project }: Found, tab: string, filter: string) {
  const env = detail === "production" ? "&env=production" : "";
  return `/connect/${part(project)}/${tab}?${filter}=${part(asText(name))}${env}`;
}

/** The router parses values of a URL as JSON if they are valid JSON: `"7"` is a text. */
function asText(value: string): string {
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}

function part(text: string | null): string {
  return encodeURIComponent(text ?? "");
}

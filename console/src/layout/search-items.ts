import {
  ChartLineIcon,
  CircleHalfIcon,
  DatabaseIcon,
  FlowArrowIcon,
  GearIcon,
  type Icon,
  IdentificationCardIcon,
  KeyIcon,
  LightningIcon,
  MoonIcon,
  PlugsConnectedIcon,
  PlusIcon,
  RocketLaunchIcon,
  ShieldIcon,
  SunIcon,
  WebhooksLogoIcon,
} from "@phosphor-icons/react";

import type { Found } from "../api/found.ts";
import { KINDS } from "./search-kinds.ts";
import { chooseTheme } from "./theme.ts";

/** A result of the search: a path of the console, or an action. */
export type SearchItem = {
  id: string;
  title: string;
  detail?: string;
  icon: Icon;
  to: { path: string } | { run: () => void };
};

export type SearchGroup = { label: string; items: SearchItem[] };

/** The results by type, in the order of the first result of each. */
export function groupsOf(found: Found[]): SearchGroup[] {
  const types = [...new Set(found.map(({ type }) => type))].filter((type) => type in KINDS);
  return types.map((type) => ({
    label: KINDS[type].label,
    items: found.filter((item) => item.type === type).map(itemOf),
  }));
}

function itemOf(found: Found): SearchItem {
  const { type, id, name, detail, parent_id: parent } = found;
  const { icon, pathOf } = KINDS[type];
  return {
    // Several sources may have events of one id.
    id: `${type} ${parent ?? ""} ${id}`,
    title: name,
    detail: detail === null || detail === name ? id : `${detail} · ${id}`,
    icon,
    to: { path: pathOf(found) },
  };
}

function page(title: string, path: string, icon: Icon): SearchItem {
  return { id: path, title, icon, to: { path } };
}

const PAGES: SearchItem[] = [
  page("Home", "/", ChartLineIcon),
  page("Deploy", "/deploy", RocketLaunchIcon),
  page("Sources", "/sources", LightningIcon),
  page("Parked events", "/parked-events", LightningIcon),
  page("Workflows", "/workflows", FlowArrowIcon),
  page("Webhooks", "/webhooks", WebhooksLogoIcon),
  page("Connect: projects", "/connect", PlugsConnectedIcon),
  page("Connect: OAuth clients", "/connect/clients", PlugsConnectedIcon),
  page("Connect: apps", "/connect/apps", PlugsConnectedIcon),
  page("Settings: profile", "/settings", GearIcon),
  page("Settings: API keys", "/settings/keys", KeyIcon),
  page("Settings: sessions", "/settings/sessions", GearIcon),
  page("Settings: workspaces", "/settings/workspaces", GearIcon),
  page("Settings: accounts", "/settings/accounts", IdentificationCardIcon),
  page("Settings: data stores", "/settings/data-stores", DatabaseIcon),
  page("Settings: usage and quotas", "/settings/usage", ChartLineIcon),
];

const OPERATOR_PAGES: SearchItem[] = [
  page("Admin: users", "/admin", ShieldIcon),
  page("Admin: workspaces", "/admin/workspaces", ShieldIcon),
  page("Admin: imports", "/admin/imports", ShieldIcon),
  page("Admin: health", "/admin/health", ShieldIcon),
  page("Admin: failed deliveries", "/admin/dead-letters", ShieldIcon),
  page("Admin: mailbox", "/admin/mailbox", ShieldIcon),
  page("Admin: apps", "/admin/apps", ShieldIcon),
  page("Admin: agents", "/admin/agents", ShieldIcon),
  page("Admin: alerts", "/admin/alerts", ShieldIcon),
];

const ACTIONS: SearchItem[] = [
  { ...page("Deploy code", "/deploy/code", PlusIcon), id: "deploy" },
  { ...page("Create a webhook", "/webhooks#new", PlusIcon), id: "new webhook" },
  { ...page("Create a workflow", "/workflows/new", PlusIcon), id: "new workflow" },
  { ...page("Create an API key", "/settings/keys#new", PlusIcon), id: "new key" },
  { ...page("Create a data store", "/settings/data-stores#new", PlusIcon), id: "new data store" },
  { ...page("Create a project", "/connect#new", PlusIcon), id: "new project" },
  { ...page("Create an OAuth client", "/connect/clients#new", PlusIcon), id: "new client" },
  {
    id: "light",
    title: "Theme: light",
    icon: SunIcon,
    to: { run: () => chooseTheme("light") },
  },
  {
    id: "dark",
    title: "Theme: dark",
    icon: MoonIcon,
    to: { run: () => chooseTheme("dark") },
  },
  {
    id: "system",
    title: "Theme of the system",
    icon: CircleHalfIcon,
    to: { run: () => chooseTheme("system") },
  },
];

/** Pages and actions that contain every typed word. */
export function ownGroups(q: string, isOperator: boolean): SearchGroup[] {
  const pages = isOperator ? [...PAGES, ...OPERATOR_PAGES] : PAGES;
  return [
    { label: "Pages", items: pages.filter((item) => matches(item, q)) },
    { label: "Actions", items: ACTIONS.filter((item) => matches(item, q)) },
  ].filter(({ items }) => items.length > 0);
}

function matches({ title }: SearchItem, q: string): boolean {
  const text = title.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

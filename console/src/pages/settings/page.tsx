import { Outlet } from "@tanstack/react-router";

import { PageHeader } from "../../components/page-header.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

const PARTS = [
  { label: "Profile", path: "/settings" },
  { label: "API keys", path: "/settings/keys" },
  { label: "Sessions", path: "/settings/sessions" },
  { label: "Workspaces", path: "/settings/workspaces" },
  { label: "Accounts", path: "/settings/accounts" },
  { label: "Data stores", path: "/settings/data-stores" },
  { label: "Usage and quotas", path: "/settings/usage" },
];

/** Resources of a user other than sources, workflows and webhooks. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <TabLinks label="Parts of the settings" tabs={PARTS} />
      <Outlet />
    </>
  );
}

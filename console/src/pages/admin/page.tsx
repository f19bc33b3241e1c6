import { Outlet } from "@tanstack/react-router";

import { PageHeader } from "../../components/page-header.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

const PARTS = [
  { label: "Users", path: "/admin" },
  { label: "Workspaces", path: "/admin/workspaces" },
  { label: "Imports", path: "/admin/imports" },
  { label: "Apps", path: "/admin/apps" },
  { label: "Health", path: "/admin/health" },
  { label: "Dead letters", path: "/admin/dead-letters" },
  { label: "Mailbox", path: "/admin/mailbox" },
  { label: "Alerts", path: "/admin/alerts" },
  { label: "Agents", path: "/admin/agents" },
];

/** The pages of operators: all users, and the platform's health. */
export function AdminPage() {
  return (
    <>
      <PageHeader
        title="Admin"
        description="Users, resources and health of this deployment, for its operators."
      />
      <TabLinks label="Parts of the administration" tabs={PARTS} />
      <Outlet />
    </>
  );
}

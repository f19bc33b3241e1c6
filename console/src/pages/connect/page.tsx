import { Outlet } from "@tanstack/react-router";

import { PageHeader } from "../../components/page-header.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

/** Connect, with which products let their own users connect accounts. */
export function ConnectPage() {
  return (
    <>
      <PageHeader
        title="Connect"
        description="Your product's users connect accounts, run actions and have triggers."
      />
      <TabLinks
        label="Parts of Connect"
        tabs={[
          { label: "Projects", path: "/connect" },
          { label: "OAuth clients", path: "/connect/clients" },
          { label: "Apps", path: "/connect/apps" },
          { label: "Usage", path: "/connect/usage" },
        ]}
      />
      <Outlet />
    </>
  );
}

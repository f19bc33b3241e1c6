import { PageHeader } from "../../components/page-header.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

/** The header of the pages for deployments: from the registry, or of own code. */
export function DeployHeader() {
  return (
    <>
      <PageHeader
        title="Deploy a source"
        description="Choose a component, or write one. It runs as soon as it is deployed."
      />
      <TabLinks
        label="Kind of component"
        tabs={[
          { label: "From the registry", path: "/deploy" },
          { label: "Write code", path: "/deploy/code" },
        ]}
      />
    </>
  );
}

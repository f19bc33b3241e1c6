import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";

import { projectQuery } from "../../../api/connect.ts";
import { ChoiceLinks } from "../../../components/choice-links.tsx";
import { CopyText } from "../../../components/copy.tsx";
import { LINK } from "../../../components/links.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { TabLinks } from "../../../components/tab-links.tsx";
import { useScope } from "./scope.ts";

const PARTS: [label: string, path: string][] = [
  ["Try it", ""],
  ["Users", "/users"],
  ["Accounts", "/accounts"],
  ["Triggers", "/triggers"],
  ["OAuth apps", "/oauth-apps"],
  ["App settings", "/app-settings"],
  ["Settings", "/settings"],
];

/** One project: its external users and their resources, by environment. */
export function ProjectPage() {
  const { project: id } = useScope();
  const { data: project } = useSuspenseQuery(projectQuery(id));
  return (
    <>
      <PageHeader
        title={project.name}
        description={
          <span className="flex flex-wrap items-center gap-3">
            <Link to="/connect" className={LINK}>
              All projects
            </Link>
            <CopyText value={id} />
          </span>
        }
        actions={
          <ChoiceLinks
            label="Environment"
            name="env"
            choices={[
              ["", "Development"],
              ["production", "Production"],
            ]}
          />
        }
      />
      <TabLinks
        label="Parts of the project"
        tabs={PARTS.map(([label, path]) => ({ label, path: `/connect/${id}${path}` }))}
      />
      <Outlet />
    </>
  );
}

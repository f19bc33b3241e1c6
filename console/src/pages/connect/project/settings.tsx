import { Button } from "@cloudflare/kumo";
import { TrashIcon } from "@phosphor-icons/react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

import { projectQuotasQuery } from "../../../api/agent-quotas.ts";
import {
  deleteProject,
  type Project,
  type ProjectFields,
  projectQuery,
  updateProject,
} from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import { AgentUse } from "../../../components/agent-quotas.tsx";
import { ConfirmDialog } from "../../../components/confirm-dialog.tsx";
import { FailureNotice } from "../../../components/failure-notice.tsx";
import { Form } from "../../../components/form.tsx";
import { Card, Section } from "../../../components/section.tsx";
import { projectFields, projectOf } from "../project-fields.ts";
import { ReportsSection } from "./reports.tsx";
import { useScope } from "./scope.ts";

/** The name of a project, the webhook of its connections, and its deletion. */
export function ProjectSettingsPage() {
  const scope = useScope();
  const { data: project } = useSuspenseQuery(projectQuery(scope.project));
  return (
    <>
      <Section title="Project">
        <Card>
          <EditForm project={project} />
        </Card>
      </Section>
      <ReportsSection scope={scope} />
      <AgentsSection project={scope.project} />
      <Section title="Delete">
        <DeleteProject project={project} />
      </Section>
    </>
  );
}

/** The use by agents of all external users together, and the limits. */
function AgentsSection({ project }: { project: string }) {
  const { data: quotas, error, refetch } = useQuery(projectQuotasQuery(project));
  return (
    <Section
      title="Agents"
      description="Of all external users together. The operator of the platform sets these limits; those of one user are set in the list of users."
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {quotas && <AgentUse quotas={quotas} />}
    </Section>
  );
}

function EditForm({ project }: { project: Project }) {
  const update = useAction({
    run: (fields: ProjectFields) => updateProject(project.id, fields),
    done: "Project saved",
    changes: [["connect", "projects"]],
    isFailureShown: true,
  });
  return (
    <Form
      fields={projectFields(project)}
      submitLabel="Save"
      onSubmit={(values) => update.mutateAsync(projectOf(values))}
    />
  );
}

function DeleteProject({ project: { id, name } }: { project: Project }) {
  const router = useRouter();
  const remove = useAction({
    run: () => deleteProject(id),
    done: "Project deleted",
    changes: [["connect", "projects", "list"]],
    isFailureShown: true,
  });
  return (
    <div>
      <ConfirmDialog
        name="delete"
        trigger={
          <Button variant="secondary-destructive" icon={<TrashIcon />}>
            Delete project
          </Button>
        }
        title={`Delete ${name}?`}
        description="This also deletes its external users of both environments, with their accounts, deployed triggers and data, its OAuth apps and its app settings. They are hidden at once and deleted within minutes."
        typed={name}
        confirmLabel="Delete project"
        onConfirm={async () => {
          await remove.mutateAsync();
          await router.navigate({ to: "/connect", replace: true });
        }}
      />
    </div>
  );
}

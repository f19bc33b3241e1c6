import { SkeletonLine } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { DefinitionEditor } from "./definition-editor.tsx";
import { type Definition, definitionText } from "./definition.ts";
import { workflowQuery } from "./queries.ts";

type Change = NonNullable<Parameters<typeof putWorkflow>[1]>;

/** The definition of a workflow, which is changed as a whole; each change creates a version. */
export function WorkflowDefinitionPage() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { data: workflow } = useQuery(workflowQuery(id));
  const save = useAction({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API checks the typed definition.
    run: (definition: Definition) => putWorkflow(id, definition as Change),
    done: ({ data }) => `Saved as version ${data.version}`,
    changes: [["workflows"]],
    isFailureShown: true,
  });
  if (!workflow) return <SkeletonLine />;
  return (
    <DefinitionEditor
      // Another version replaces the one shown.
      key={workflow.version}
      saved={definitionText(workflow)}
      saveLabel="Save"
      onSave={(definition) => save.mutateAsync(definition)}
    />
  );
}

function putWorkflow(id: string, body: { name?: string }) {
  return api.put("/workflows/{id}", { params: { path: { id } }, body });
}

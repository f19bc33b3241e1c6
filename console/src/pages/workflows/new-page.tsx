import { Radio } from "@cloudflare/kumo";
import { useRouter, useSearch } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { DefinitionEditor } from "./definition-editor.tsx";
import { type Definition, textOf } from "./definition.ts";
import { TEMPLATES } from "./templates.ts";

type NewWorkflow = Parameters<typeof postWorkflow>[0];

/** A new workflow, from a template that is edited before it is deployed. */
export function NewWorkflowPage() {
  const router = useRouter();
  const { org, template: chosen } = useSearch({ from: "/shell/workflows/new" });
  const [, choose] = useSearchParam("template");
  const template = TEMPLATES.find(({ id }) => id === chosen) ?? TEMPLATES[0];
  const create = useAction({
    run: async (definition: Definition) => {
      const body = { ...definition, ...(org !== undefined && { org_id: org }) };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API checks the typed definition.
      return (await postWorkflow(body as NewWorkflow)).data;
    },
    done: ({ name }) => `“${name}” was created`,
    changes: [["workflows", "list"], ["overview"]],
    isFailureShown: true,
    onDone: ({ id }) => void router.navigate({ to: "/workflows/$id", params: { id } }),
  });
  if (!template) return null;
  return (
    <>
      <PageHeader
        title="New workflow"
        description="Start from the closest template, and change it."
      />
      <div className="mb-6">
        <Radio.Group legend="Begun by" appearance="card" value={template.id} onValueChange={choose}>
          <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
            {TEMPLATES.map(({ id, title, sentence }) => (
              <Radio.Item key={id} value={id} label={title} description={sentence} />
            ))}
          </div>
        </Radio.Group>
      </div>
      <DefinitionEditor
        key={template.id}
        saved={textOf(template.definition)}
        saveLabel="Create"
        onSave={(definition) => create.mutateAsync(definition)}
      />
    </>
  );
}

function postWorkflow(body: NonNullable<Parameters<typeof api.post<"/workflows">>[1]>["body"]) {
  return api.post("/workflows", { body });
}

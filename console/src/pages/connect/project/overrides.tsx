import { Button } from "@cloudflare/kumo";
import { PencilSimpleIcon, PlusIcon, SlidersIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import {
  createOverride,
  deleteOverride,
  type OverrideFields,
  overridesList,
  updateOverride,
} from "../../../api/connect-apps.ts";
import { allAppsQuery, type AppOverride } from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import { ConfirmDialog } from "../../../components/confirm-dialog.tsx";
import { CopyText } from "../../../components/copy.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { FormField, Values } from "../../../components/form-fields.tsx";
import { FormDialog } from "../../../components/form.tsx";
import { ListTable } from "../../../components/list-table.tsx";
import { Section } from "../../../components/section.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { useScope } from "./scope.ts";

function columnsOf(project: string): Column<AppOverride>[] {
  return [
    {
      id: "name",
      header: "Setting",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { id: "app", header: "App", width: "10rem", cell: ({ app }) => app.name },
    {
      id: "fields",
      header: "Fields",
      cell: ({ cfmap, fields = [] }) =>
        [...Object.keys(cfmap), ...fields.map(({ name }) => name)].join(", ") || "–",
    },
    { id: "id", header: "Id", width: "12rem", cell: ({ id }) => <CopyText value={id} /> },
    {
      id: "actions",
      header: "Change",
      width: "6.5rem",
      cell: (override) => (
        <span className="flex gap-1">
          <Edit project={project} override={override} />
          <Delete project={project} override={override} />
        </span>
      ),
    },
  ];
}

/** A project's overrides of apps. A link that names an override uses it. */
export function OverridesPage() {
  const { project } = useScope();
  return (
    <Section
      title="App settings"
      description="Values of an app's fields that your users need not fill in. A link that names a setting (appOverrideId) uses it."
      actions={<NewOverride project={project} />}
    >
      <ListTable
        label="App settings"
        list={overridesList(project, {})}
        columns={columnsOf(project)}
        rowKey={({ id }) => id}
        minWidth="48rem"
        empty={
          <EmptyState
            icon={<SlidersIcon size={32} className="text-kumo-subtle" />}
            title="No app settings yet"
            sentence="Create one where all your users share a region, a host or another field."
            action={<NewOverride project={project} />}
          />
        }
      />
    </Section>
  );
}

function fieldsOf(override?: AppOverride): FormField[] {
  return [
    { name: "name", label: "Name", isRequired: true, value: override?.name ?? "" },
    {
      name: "cfmap",
      label: "Values of fields, as JSON",
      kind: "area",
      description: 'Texts by the names of the fields, such as {"region": "eu"}. No secrets.',
      value: JSON.stringify(override?.cfmap ?? {}, null, 2),
    },
    {
      name: "oauth_app_id",
      label: "OAuth app to sign in by",
      placeholder: "oa_…",
      description: "Empty: that of the app.",
      value: override?.oauth_app_id ?? "",
    },
  ];
}

function overrideOf({ name = "", cfmap = "{}", oauth_app_id }: Values) {
  return { name, cfmap: textsOf(cfmap), oauth_app_id: oauth_app_id || null };
}

function textsOf(json: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`The values are no JSON: ${String(error)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("The values must be an object");
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

function NewOverride({ project }: { project: string }) {
  const { data: apps = [] } = useQuery(allAppsQuery);
  const create = useAction({
    run: (fields: OverrideFields) => createOverride(project, fields),
    done: "App setting created",
    changes: [["connect", project, "app_overrides"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New app setting
        </Button>
      }
      title="New app setting"
      fields={[
        {
          name: "app",
          label: "App",
          kind: "select",
          isRequired: true,
          options: Object.fromEntries(apps.map(({ name, name_slug }) => [name_slug, name])),
          value: apps[0]?.name_slug ?? "",
        },
        ...fieldsOf(),
      ]}
      submitLabel="Create app setting"
      onSubmit={async (values) => {
        await create.mutateAsync({ app: values["app"] ?? "", ...overrideOf(values) });
      }}
    />
  );
}

type ChangeProps = { project: string; override: AppOverride };

function Edit({ project, override }: ChangeProps) {
  const update = useAction({
    run: (fields: Omit<OverrideFields, "app">) => updateOverride(project, override.id, fields),
    done: "App setting saved",
    changes: [["connect", project, "app_overrides"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      trigger={
        <Button
          variant="ghost"
          size="sm"
          shape="square"
          icon={<PencilSimpleIcon />}
          aria-label={`Edit ${override.name}`}
        />
      }
      title={`${override.name}, for ${override.app.name}`}
      fields={fieldsOf(override)}
      submitLabel="Save"
      onSubmit={async (values) => {
        await update.mutateAsync(overrideOf(values));
      }}
    />
  );
}

function Delete({ project, override: { id, name } }: ChangeProps) {
  const remove = useAction({
    run: () => deleteOverride(project, id),
    done: "App setting deleted",
    changes: [["connect", project, "app_overrides"]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      trigger={
        <Button
          variant="ghost"
          size="sm"
          shape="square"
          icon={<TrashIcon />}
          aria-label={`Delete ${name}`}
        />
      }
      title={`Delete ${name}?`}
      description="Links that name it are refused. Accounts that were connected by it stay."
      confirmLabel="Delete app setting"
      onConfirm={() => remove.mutateAsync()}
    />
  );
}

import { Button } from "@cloudflare/kumo";
import { KeyIcon, PencilSimpleIcon, PlusIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import {
  createOauthApp,
  deleteOauthApp,
  type OauthAppFields,
  oauthAppsList,
  updateOauthApp,
} from "../../../api/connect-apps.ts";
import { allAppsQuery, type ProjectOauthApp } from "../../../api/connect.ts";
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

function columnsOf(project: string): Column<ProjectOauthApp>[] {
  return [
    {
      id: "name",
      header: "App",
      width: "11rem",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { id: "client", header: "Client id", cell: ({ client_id }) => <CopyText value={client_id} /> },
    {
      id: "redirect",
      header: "Redirect URI, for the provider",
      cell: ({ redirect_uri }) => <CopyText value={redirect_uri} what="redirect URI" />,
    },
    {
      id: "scopes",
      header: "Scopes",
      cell: ({ scopes }) => (scopes === undefined ? "as the app says" : scopes.join(" ")),
    },
    {
      id: "actions",
      header: "Change",
      width: "6.5rem",
      cell: (app) => (
        <span className="flex gap-1">
          <Edit project={project} app={app} />
          <Delete project={project} app={app} />
        </span>
      ),
    },
  ];
}

/** The OAuth clients at providers that a project brings itself. */
export function OauthAppsPage() {
  const { project } = useScope();
  return (
    <Section
      title="OAuth apps"
      description="Your own clients at providers, so that users read your product's name when they sign in."
      actions={<NewOauthApp project={project} />}
    >
      <ListTable
        label="OAuth apps"
        list={oauthAppsList(project, {})}
        columns={columnsOf(project)}
        rowKey={({ id }) => id}
        minWidth="56rem"
        empty={
          <EmptyState
            icon={<KeyIcon size={32} className="text-kumo-subtle" />}
            title="No OAuth apps yet"
            sentence="Without one, users sign in by the client that the operator of the platform has."
            action={<NewOauthApp project={project} />}
          />
        }
      />
    </Section>
  );
}

const CLIENT_FIELDS: FormField[] = [
  { name: "client_id", label: "Client id", isRequired: true },
  { name: "client_secret", label: "Client secret", kind: "secret", isRequired: true },
  {
    name: "scopes",
    label: "Scopes",
    description: "Separated by spaces. Empty: as the app says.",
  },
];

function scopesOf({ scopes }: Values): { scopes?: string[] } {
  return scopes ? { scopes: scopes.split(/\s+/).filter((scope) => scope !== "") } : {};
}

function NewOauthApp({ project }: { project: string }) {
  const { data: apps = [] } = useQuery(allAppsQuery);
  const create = useAction({
    run: (fields: OauthAppFields) => createOauthApp(project, fields),
    done: "OAuth app created",
    changes: [["connect", project, "oauth_apps"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New OAuth app
        </Button>
      }
      title="New OAuth app"
      fields={[
        {
          name: "app",
          label: "App",
          kind: "select",
          isRequired: true,
          options: Object.fromEntries(apps.map(({ name, name_slug }) => [name_slug, name])),
          value: apps[0]?.name_slug ?? "",
        },
        ...CLIENT_FIELDS,
      ]}
      submitLabel="Create OAuth app"
      onSubmit={async (values) => {
        const { app = "", client_id = "", client_secret = "" } = values;
        await create.mutateAsync({ app, client_id, client_secret, ...scopesOf(values) });
      }}
    />
  );
}

function Edit({ project, app }: { project: string; app: ProjectOauthApp }) {
  const update = useAction({
    run: (fields: Parameters<typeof updateOauthApp>[2]) => updateOauthApp(project, app.id, fields),
    done: "OAuth app saved",
    changes: [["connect", project, "oauth_apps"]],
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
          aria-label={`Edit ${app.name}`}
        />
      }
      title={`OAuth app for ${app.name}`}
      fields={[
        { name: "name", label: "Name", value: app.name },
        { name: "client_id", label: "Client id", isRequired: true, value: app.client_id },
        {
          name: "client_secret",
          label: "New client secret",
          kind: "secret",
          description: "Empty: it stays as it is.",
        },
        { name: "scopes", label: "Scopes", value: app.scopes?.join(" ") ?? "" },
      ]}
      submitLabel="Save"
      onSubmit={async (values) => {
        const { name = "", client_id = "", client_secret } = values;
        await update.mutateAsync({
          name,
          client_id,
          ...(client_secret ? { client_secret } : {}),
          ...scopesOf(values),
        });
      }}
    />
  );
}

function Delete({ project, app }: { project: string; app: ProjectOauthApp }) {
  const remove = useAction({
    run: () => deleteOauthApp(project, app.id),
    done: "OAuth app deleted",
    changes: [["connect", project, "oauth_apps"]],
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
          aria-label={`Delete ${app.name}`}
        />
      }
      title={`Delete the OAuth app for ${app.name}?`}
      description="Its client secret goes with it. Accounts that signed in by it cannot be refreshed any more."
      confirmLabel="Delete OAuth app"
      onConfirm={() => remove.mutateAsync()}
    />
  );
}

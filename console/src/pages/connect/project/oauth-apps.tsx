import { KeyIcon } from "@phosphor-icons/react";

import {
  createOauthApp,
  deleteOauthApp,
  oauthAppsList,
  updateOauthApp,
} from "../../../api/connect-apps.ts";
import type { ProjectOauthApp } from "../../../api/connect.ts";
import { apiCommand } from "../../../components/commands.ts";
import { CopyText } from "../../../components/copy.tsx";
import type { FormField, Values } from "../../../components/form-fields.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { type AppThings, AppThingsPage } from "./app-list.tsx";
import { useScope } from "./scope.ts";

const COLUMNS: Column<ProjectOauthApp>[] = [
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
    cell: ({ scopes }) => (scopes === undefined ? "those of the app" : scopes.join(" ")),
  },
];

/** A project's own OAuth clients at providers. */
export function OauthAppsPage() {
  const { project } = useScope();
  return <AppThingsPage things={oauthAppsOf(project)} />;
}

function oauthAppsOf(project: string): AppThings<ProjectOauthApp> {
  return {
    noun: "OAuth app",
    description:
      "Your own clients at providers, so that users read your product's name when they sign in.",
    icon: KeyIcon,
    emptySentence:
      "Without one, users sign in by the client that the operator of the platform has.",
    command: apiCommand("POST", `/connect/${project}/oauth_apps`, {
      app: "shop",
      client_id: "…",
      client_secret: "…",
    }),
    minWidth: "56rem",
    list: oauthAppsList(project, {}),
    queryKey: ["connect", project, "oauth_apps"],
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    consequence:
      "This also deletes its client secret. Accounts that it connected cannot be refreshed any more.",
    fieldsOf: (app) => (app ? changedFields(app) : NEW_FIELDS),
    create: (app, { client_id = "", client_secret = "", ...values }) =>
      createOauthApp(project, { app, client_id, client_secret, ...scopesOf(values) }),
    update: ({ id }, { name = "", client_id = "", client_secret, ...values }) =>
      updateOauthApp(project, id, {
        name,
        client_id,
        ...(client_secret ? { client_secret } : {}),
        ...scopesOf(values),
      }),
    remove: ({ id }) => deleteOauthApp(project, id),
  };
}

const CLIENT_ID: FormField = { name: "client_id", label: "Client id", isRequired: true };

const SCOPES: FormField = {
  name: "scopes",
  label: "Scopes",
  description: "Separated by spaces. Empty: those of the app.",
};

const NEW_FIELDS: FormField[] = [
  CLIENT_ID,
  { name: "client_secret", label: "Client secret", kind: "secret", isRequired: true },
  SCOPES,
];

function changedFields({ name, client_id, scopes }: ProjectOauthApp): FormField[] {
  return [
    { name: "name", label: "Name", value: name },
    { ...CLIENT_ID, value: client_id },
    {
      name: "client_secret",
      label: "New client secret",
      kind: "secret",
      description: "Empty: unchanged.",
    },
    { ...SCOPES, value: scopes?.join(" ") ?? "" },
  ];
}

function scopesOf({ scopes }: Values): { scopes?: string[] } {
  return scopes ? { scopes: scopes.split(/\s+/).filter((scope) => scope !== "") } : {};
}

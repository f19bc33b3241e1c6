import { Button, ClipboardText } from "@cloudflare/kumo";
import { KeyIcon, PlusIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import {
  allProjectsQuery,
  createOauthClient,
  type OauthClient,
  oauthClientsList,
  revokeOauthClient,
} from "../../api/connect.ts";
import { useAction } from "../../components/action.ts";
import { apiCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FormDialog } from "../../components/form.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { SecretOnce } from "../../components/secret-once.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";

const ROW_DIALOGS = ["revoke"];

const COLUMNS: Column<OauthClient>[] = [
  { id: "name", header: "Name", cell: ({ name }) => name },
  { id: "id", header: "Client id", cell: ({ client_id }) => <CopyText value={client_id} /> },
  {
    id: "project",
    header: "Reaches",
    cell: ({ project_id }) =>
      project_id === null ? (
        "all projects of its owner"
      ) : (
        <Link to="/connect/$project" params={{ project: project_id }} className={LINK}>
          {project_id}
        </Link>
      ),
  },
  {
    id: "created",
    header: "Created",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
  {
    id: "revoke",
    header: "Revoke",
    width: "5rem",
    cell: (client) => <Revoke client={client} />,
  },
];

/** The clients with which servers of products access the Connect API. */
export function ClientsPage() {
  return (
    <Section
      title="OAuth clients"
      description="Your product's server signs in with one. Its secret is shown once."
      actions={<NewClient />}
    >
      <ListTable
        label="OAuth clients"
        list={oauthClientsList()}
        columns={COLUMNS}
        rowKey={({ client_id }) => client_id}
        dialogs={ROW_DIALOGS}
        minWidth="48rem"
        empty={
          <EmptyState
            icon={<KeyIcon size={32} className="text-kumo-subtle" />}
            title="No OAuth clients yet"
            sentence="Create one for the server of your product."
            command={apiCommand("POST", "/connect/oauth_clients", { name: "Server" })}
            action={
              <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
                New client
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function NewClient() {
  const org = useOrg();
  const { data: projects = [] } = useQuery(allProjectsQuery);
  const create = useAction({
    run: createOauthClient,
    done: "OAuth client created",
    changes: [["connect", "oauth_clients"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New client
        </Button>
      }
      title="New OAuth client"
      fields={[
        { name: "name", label: "Name", isRequired: true, placeholder: "Server" },
        {
          name: "project",
          label: "Reaches",
          kind: "select",
          options: Object.fromEntries([
            ["", "All projects"],
            ...projects.map(({ id, name }) => [id, name] as const),
          ]),
        },
      ]}
      submitLabel="Create client"
      onSubmit={async ({ name = "", project }) => {
        const { client_id, client_secret } = await create.mutateAsync({
          name,
          ...(project ? { project_id: project } : {}),
          ...(org === undefined ? {} : { org_id: org }),
        });
        return created(client_id, client_secret);
      }}
    />
  );
}

function created(id: string, secret: string) {
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="mb-1">Client id</p>
        <ClipboardText text={id} labels={{ copyAction: "Copy the client id" }} />
      </div>
      <SecretOnce secret={secret} what="client secret" />
    </div>
  );
}

function Revoke({ client: { client_id, name } }: { client: OauthClient }) {
  return (
    <RowAction
      name={dialogOf("revoke", client_id)}
      label={`Revoke ${name}`}
      title={`Revoke ${name}?`}
      description="Servers that sign in with it are refused, and its access tokens end."
      confirmLabel="Revoke"
      run={() => revokeOauthClient(client_id)}
      done="OAuth client revoked"
      changes={[["connect", "oauth_clients"]]}
    />
  );
}

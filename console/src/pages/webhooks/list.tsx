import { Button } from "@cloudflare/kumo";
import { PlusIcon, WebhooksLogoIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { type Webhook, webhooksList } from "../../api/webhooks.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { apiCommand } from "../../components/commands.ts";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";
import { NewWebhook } from "./new-webhook.tsx";

const COLUMNS: Column<Webhook>[] = [
  {
    id: "name",
    header: "Webhook",
    cell: ({ id, name, url }) => (
      <Link to="/webhooks/$id" params={{ id }} className={LINK}>
        {name ?? url}
      </Link>
    ),
  },
  {
    id: "state",
    header: "State",
    width: "8rem",
    cell: ({ active }) => <Status state={active ? "active" : "off"} />,
  },
  {
    id: "url",
    header: "URL",
    cell: ({ url }) => (
      <span className="font-mono text-sm text-kumo-subtle" title={url}>
        {url}
      </span>
    ),
  },
  {
    id: "created",
    header: "Created",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** The webhooks of the user or the workspace. */
export function WebhooksPage() {
  const filter = useSearch({ from: "/shell/webhooks" });
  const org = useOrg();
  const { q, active } = filter;
  const list = webhooksList(org, { q, active });
  const isFiltered = q !== undefined || active !== undefined;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="URLs that events are delivered to, signed and with retries."
        actions={<NewWebhook trigger={<NewButton />} />}
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <FilterField label="Filter webhooks" placeholder="Filter by name, id or URL" />
        <ChoiceLinks
          label="State of webhooks"
          name="active"
          choices={[
            ["", "All"],
            ["true", "Active"],
            ["false", "Inactive"],
          ]}
        />
      </div>
      <ListTable
        label="Webhooks"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={isFiltered ? <NothingFound /> : <NoWebhooks />}
      />
    </>
  );
}

function NewButton(props: object) {
  return (
    <Button variant="primary" icon={<PlusIcon />} {...props}>
      New webhook
    </Button>
  );
}

function NothingFound() {
  return (
    <EmptyState
      title="No webhook matches"
      sentence="A part of the name, the id or the URL is enough."
      action={<LinkButton to="/webhooks">Show all webhooks</LinkButton>}
    />
  );
}

function NoWebhooks() {
  return (
    <EmptyState
      icon={<WebhooksLogoIcon size={32} className="text-kumo-subtle" />}
      title="No webhooks yet"
      sentence="Create one for a URL of yours, then subscribe it to a source."
      command={apiCommand("POST", "/webhooks", { url: "https://example.com/hook" })}
      action={
        <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
          New webhook
        </DialogButton>
      }
    />
  );
}

import { EnvelopeSimpleIcon } from "@phosphor-icons/react";
import { useSearch } from "@tanstack/react-router";

import { type Mail, mailboxList } from "../../api/operations.ts";
import { apiCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DataList } from "../../components/data-list.tsx";
import { EmitterLink } from "../../components/emitter-link.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { OwnerLink } from "../../components/owner-link.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { useIsOwn } from "./own.ts";

/** The mails of workflows on a platform without a mail service. */
export function MailboxPage() {
  const { owner } = useSearch({ from: "/shell/admin/mailbox" });
  return (
    <Section
      title="Mailbox"
      description="Mails of workflows, kept here where no service for mail is configured. Markup is shown as text."
    >
      <FilterField label="Owner" name="owner" placeholder="Of one owner (id)" />
      <DataList
        label="Mails"
        list={mailboxList(owner === undefined ? {} : { owner_id: owner })}
        itemKey={({ workflow_id, created_at, subject }) =>
          `${workflow_id} ${created_at} ${subject}`
        }
        item={mailView}
        empty={
          <EmptyState
            icon={<EnvelopeSimpleIcon size={32} className="text-kumo-subtle" />}
            title={owner === undefined ? "No mails" : "No mail of this owner"}
            sentence="A step of a workflow sends one. Deploy such a workflow, then run it:"
            command={apiCommand("POST", "/workflows", MAILING)}
            action={
              owner !== undefined && <LinkButton to="/admin/mailbox">Show all mails</LinkButton>
            }
          />
        }
      />
    </Section>
  );
}

/** A workflow that sends a mail to its owner. */
const MAILING = {
  name: "Mail me",
  trigger: { type: "http" },
  steps: [
    {
      name: "mail",
      component_code:
        'export default { run({ $ }) { $.send.email({ subject: "Hello", text: "From a workflow" }); } }',
    },
  ],
};

function mailView({ owner_id, to, subject, text, html, workflow_id, created_at }: Mail) {
  return (
    <details className="rounded-lg bg-kumo-base p-4 ring ring-kumo-line">
      <summary className="cursor-pointer">
        <span className="font-medium">{subject}</span>{" "}
        <span className="text-kumo-subtle">
          to {to}, <Time at={created_at * 1000} />
        </span>
      </summary>
      <div className="mt-3 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          From <Sender id={workflow_id} owner={owner_id} />
        </p>
        {text !== null && <Body text={text} label="Text" />}
        {html !== null && <Body text={html} label="HTML, as text" />}
      </div>
    </details>
  );
}

/** The workflow that sent a mail: a link where the operator may see it, beside its owner. */
function Sender({ id, owner }: { id: string; owner: string }) {
  const isOwn = useIsOwn();
  if (isOwn(owner)) return <EmitterLink id={id} />;
  return (
    <>
      <CopyText value={id} /> of <OwnerLink id={owner} />
    </>
  );
}

function Body({ text, label }: { text: string; label: string }) {
  return (
    <div>
      <p className="text-sm text-kumo-subtle">{label}</p>
      <pre className="max-h-80 overflow-auto font-mono text-sm break-words whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  );
}

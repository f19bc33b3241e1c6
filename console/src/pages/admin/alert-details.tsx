import { LayerDialog } from "@cloudflare/kumo";
import type { ReactNode } from "react";

import type { Alert } from "../../api/operations.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmitterLink } from "../../components/emitter-link.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { dialogOf, useOpening } from "../../components/opening.ts";
import { OwnerLink, ownerPath } from "../../components/owner-link.tsx";
import { Facts } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { useIsOwn } from "./own.ts";

/** A complete alert: operators may not open the pages of others' sources and workflows. */
export function AlertDetails({ alert, kind }: { alert: Alert; kind: string }) {
  const { isOpen, setOpen } = useOpening(dialogOf("alert", alert.id));
  const { id, name } = alert.subject;
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen}>
      <LayerDialog.Trigger
        render={
          <button type="button" className={`${LINK} max-w-full cursor-pointer truncate`}>
            {name ?? id}
          </button>
        }
      />
      <LayerDialog.Content>
        <LayerDialog.Title>{`${name ?? id} ${kind}`}</LayerDialog.Title>
        <LayerDialog.Body>
          <div className="flex flex-col gap-4">
            <Facts facts={factsOf(alert)} />
            <NextSteps alert={alert} />
          </div>
        </LayerDialog.Body>
      </LayerDialog.Content>
    </LayerDialog.Root>
  );
}

function factsOf(alert: Alert): [string, ReactNode][] {
  const { subject, owner_id, message, error, count, since, until } = alert;
  return [
    [subject.type, <CopyText key="subject" value={subject.id} />],
    ["Owner", <OwnerLink key="owner" id={owner_id} />],
    ["Message", message],
    ["Last error", error === null ? "none" : `${error.name}: ${error.message}`],
    ["Times", count],
    ["Since", <Time key="since" at={Date.parse(since)} />],
    ["Until", until === null ? "open" : <Time key="until" at={Date.parse(until)} />],
  ];
}

/** Links from an alert to its owner and resource. */
function NextSteps({ alert: { subject, owner_id: owner } }: { alert: Alert }) {
  const isOwn = useIsOwn();
  const ofOwner = ownerPath(owner);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {subject.type === "webhook" && (
        <LinkButton to={`/admin/dead-letters/${encodeURIComponent(subject.id)}`}>
          Its deliveries
        </LinkButton>
      )}
      {ofOwner !== undefined && <LinkButton to={ofOwner}>Its owner</LinkButton>}
      {isOwn(owner) && <EmitterLink id={subject.id} name={`Open the ${subject.type}`} />}
    </div>
  );
}

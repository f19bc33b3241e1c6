import { LayerCard } from "@cloudflare/kumo";
import { CheckCircleIcon, WarningCircleIcon, WarningIcon } from "@phosphor-icons/react";

import type { Attention } from "../../api/overview.ts";
import { formatCount } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Time } from "../../components/time.tsx";
import { placeOf } from "./next-step.ts";

/** Issues that need attention, each with a link to the page for its solution. */
export function AttentionList({ attention }: { attention: Attention[] }) {
  return (
    <section aria-labelledby="attention">
      <LayerCard className="p-0">
        <div className="flex items-center justify-between gap-2 p-4">
          <SectionTitle id="attention">Needs attention</SectionTitle>
          <span className="text-sm text-kumo-subtle">
            {attention.length > 0 && formatCount(attention.length, "issue")}
          </span>
        </div>
        {attention.length === 0 ? (
          <p className="flex items-center gap-2 border-t border-kumo-hairline p-4 text-kumo-subtle">
            <CheckCircleIcon weight="fill" className="text-kumo-success" />
            Nothing: everything runs, and all events are delivered.
          </p>
        ) : (
          <ul className="divide-y divide-kumo-hairline border-t border-kumo-hairline">
            {attention.map((item) => (
              <Item key={`${item.kind} ${item.resource_id}`} item={item} />
            ))}
          </ul>
        )}
      </LayerCard>
    </section>
  );
}

function Item({ item }: { item: Attention }) {
  const { severity, resource_type: type, resource_id: id, name, message, since, next } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4">
      <Severity severity={severity} />
      <div className="min-w-0 flex-1 basis-60">
        <p className="truncate font-medium">
          {name ?? id} <span className="font-normal text-kumo-subtle">{type}</span>
        </p>
        <p className="text-sm break-words text-kumo-subtle">
          {message}
          {since !== null && (
            <>
              {" · since "}
              <Time at={since * 1000} />
            </>
          )}
        </p>
      </div>
      <LinkButton {...placeOf(item)} size="sm" aria-label={`${next.label}: ${name ?? id}`}>
        {next.label}
      </LinkButton>
    </li>
  );
}

function Severity({ severity }: { severity: Attention["severity"] }) {
  return severity === "error" ? (
    <WarningCircleIcon weight="fill" size={20} aria-label="Error" className="text-kumo-danger" />
  ) : (
    <WarningIcon weight="fill" size={20} aria-label="Warning" className="text-kumo-warning" />
  );
}

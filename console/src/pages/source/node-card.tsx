import { XIcon } from "@phosphor-icons/react";

import { type Link, sourceKeys, unsubscribe } from "../../api/sources.ts";
import { AppLink } from "../../components/app-link.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Status } from "../../components/status.tsx";
import { Channel } from "./event-cells.tsx";
import { kindOf } from "./node-kinds.ts";

/** The other end of a subscription, with its channel, its filter and the button that deletes it. */
export function NodeCard({
  link,
  sourceId,
  isEmitter,
}: {
  link: Link;
  sourceId: string;
  isEmitter: boolean;
}) {
  const { icon: KindIcon, label } = kindOf(link.type);
  return (
    <div className="flex h-full flex-col justify-between rounded-lg bg-kumo-base p-3 ring ring-kumo-line">
      <div className="flex items-start gap-2">
        <KindIcon aria-hidden className="mt-1 shrink-0" />
        <div className="min-w-0 flex-1">
          <Name link={link} />
          <p className="flex items-center gap-2 text-sm text-kumo-subtle">
            {label}
            {link.active === false && <Status state="paused" />}
          </p>
        </div>
        <Unsubscribe link={link} sourceId={sourceId} isEmitter={isEmitter} />
      </div>
      <p className="flex min-w-0 items-center gap-2 text-sm">
        <Channel name={link.event_name} />
        {link.filter !== null && (
          <code className="min-w-0 truncate font-mono text-xs" title={link.filter}>
            {link.filter}
          </code>
        )}
      </p>
    </div>
  );
}

function Name({ link: { type, id, name } }: { link: Link }) {
  const { section } = kindOf(type);
  const text = name ?? id;
  if (section === undefined)
    return (
      <p className="truncate font-medium" title={text}>
        {text}
      </p>
    );
  return (
    <AppLink
      to={`/${section}/${encodeURIComponent(id)}`}
      title={text}
      className="block truncate font-medium text-kumo-link hover:underline"
    >
      {text}
    </AppLink>
  );
}

function Unsubscribe({
  link,
  sourceId,
  isEmitter,
}: {
  link: Link;
  sourceId: string;
  isEmitter: boolean;
}) {
  const { id, name, event_name: channel, emitter_id: emitter } = link;
  const ends = {
    emitter_id: emitter ?? (isEmitter ? id : sourceId),
    listener_id: isEmitter ? sourceId : id,
    event_name: channel,
  };
  const other = name ?? id;
  const channelName = channel === "" ? "the default channel" : channel;
  return (
    <RowAction
      name={dialogOf("unsubscribe", link.subscription_id)}
      label={`End the subscription with ${other}`}
      icon={<XIcon />}
      size="xs"
      title="End this subscription?"
      description={
        isEmitter
          ? `The source receives no more events of ${channelName} of ${other}.`
          : `${other} receives no more events of ${channelName} of this source.`
      }
      confirmLabel="End it"
      run={() => unsubscribe(ends)}
      done="The subscription was ended"
      changes={[sourceKeys.part(sourceId, isEmitter ? "emitters" : "listeners")]}
    />
  );
}

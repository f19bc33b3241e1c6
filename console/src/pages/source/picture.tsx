import { LightningIcon } from "@phosphor-icons/react";
import type { CSSProperties } from "react";

import type { Link, Source } from "../../api/sources.ts";
import { Status } from "../../components/status.tsx";
import { NodeCard } from "./node-card.tsx";

/** Each card and the gap below it; the lines are drawn to the middles of the cards. */
const CARD_PX = 108;
const GAP_PX = 12;

/** Maximum cards on each side; beyond that their number is shown. */
const MAX_CARDS = 40;

/** The emitters of a source, the source, and its listeners, with lines between them. */
export function Picture({
  source,
  emitters,
  listeners,
}: {
  source: Source;
  emitters: Link[];
  listeners: Link[];
}) {
  const height = Math.max(heightOf(emitters), heightOf(listeners));
  return (
    <div
      style={styleOf(height)}
      className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_4rem_minmax(0,14rem)_4rem_minmax(0,1fr)] lg:gap-0"
    >
      <Side title="Receives from" links={emitters} source={source} isEmitters />
      <Lines links={emitters} height={height} isEmitters />
      <div className="flex flex-col lg:pt-9">
        <div className="flex items-center lg:min-h-(--picture-height)">
          <div className="w-full rounded-lg bg-kumo-base p-4 ring-2 ring-kumo-brand">
            <p className="flex items-center gap-2 font-medium">
              <LightningIcon weight="fill" aria-hidden />
              <span className="min-w-0 truncate" title={source.name}>
                {source.name}
              </span>
            </p>
            <p className="mt-2 flex items-center gap-2 text-sm text-kumo-subtle">
              this source <Status state={source.active ? "active" : "paused"} />
            </p>
          </div>
        </div>
      </div>
      <Lines links={listeners} height={height} />
      <Side title="Sends to" links={listeners} source={source} />
    </div>
  );
}

function Side({
  title,
  links,
  source,
  isEmitters = false,
}: {
  title: string;
  links: Link[];
  source: Source;
  isEmitters?: boolean;
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-3 h-6 text-sm font-medium text-kumo-subtle">{title}</h2>
      <ul
        className="flex flex-col justify-center lg:min-h-(--picture-height)"
        style={{ gap: GAP_PX }}
      >
        {links.slice(0, MAX_CARDS).map((link) => (
          <li key={link.subscription_id} style={{ height: CARD_PX }}>
            <NodeCard link={link} sourceId={source.id} isEmitter={isEmitters} />
          </li>
        ))}
        {links.length === 0 && (
          <li
            className="grid place-items-center rounded-lg border border-dashed border-kumo-line p-4 text-center text-sm text-kumo-subtle"
            style={{ height: CARD_PX }}
          >
            {isEmitters
              ? "No source, workflow or webhook sends it events."
              : "No listeners. Subscribe a webhook, a workflow or another source."}
          </li>
        )}
        {links.length > MAX_CARDS && (
          <li className="text-sm text-kumo-subtle">and {links.length - MAX_CARDS} more</li>
        )}
      </ul>
    </section>
  );
}

/** Curves between the source in the middle and the cards at a side. */
function Lines({
  links,
  height,
  isEmitters = false,
}: {
  links: Link[];
  height: number;
  isEmitters?: boolean;
}) {
  const shown = links.slice(0, MAX_CARDS);
  const top = (height - heightOf(shown)) / 2;
  return (
    <svg
      aria-hidden
      viewBox={`0 0 64 ${height}`}
      className="mt-9 hidden w-16 text-kumo-subtle lg:block"
      style={{ height }}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
    >
      {shown.map((link, index) => {
        const y = top + index * (CARD_PX + GAP_PX) + CARD_PX / 2;
        const [from, to] = isEmitters ? [y, height / 2] : [height / 2, y];
        return (
          <path
            key={link.subscription_id}
            d={`M 2 ${from} C 32 ${from}, 32 ${to}, 58 ${to} m -6 -4 l 6 4 l -6 4`}
            strokeDasharray={link.active === false ? "4 4" : undefined}
          />
        );
      })}
    </svg>
  );
}

/** At the width of a phone the cards are stacked, without extra height. */
function styleOf(height: number): CSSProperties & Record<`--${string}`, string> {
  return { "--picture-height": `${height}px` };
}

function heightOf(links: Link[]): number {
  const cards = Math.min(Math.max(1, links.length), MAX_CARDS);
  return cards * (CARD_PX + GAP_PX) - GAP_PX;
}

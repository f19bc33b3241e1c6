import { ArrowRightIcon, RepeatIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import { type Link, listenersOfQuery, type Source } from "../../api/sources.ts";
import { AppLink } from "../../components/app-link.tsx";
import { LINK } from "../../components/links.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { kindOf } from "./node-kinds.ts";

/** Maximum listeners shown of the source, of each of these, and of each of those; further levels are not loaded. */
const BREADTH = [6, 4, 3] as const;

/** The route of a source's events: its listeners and theirs, for three levels. Absent without a second level. */
export function Way({ source, listeners }: { source: Source; listeners: Link[] }) {
  const goesOn = listeners.some(({ type }) => type === "source" || type === "workflow");
  if (!goesOn) return null;
  return (
    <section aria-label="Route of an event" className="min-w-0">
      <SectionTitle>Route of an event</SectionTitle>
      <p className="mb-3 text-sm text-kumo-subtle">
        From here on, as far as three subscriptions reach.
      </p>
      <section
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
        tabIndex={0}
        aria-label="Picture of the route"
        className="overflow-x-auto pb-2"
      >
        <div className="flex w-max items-center gap-2">
          <span className="rounded-lg bg-kumo-base px-3 py-2 font-medium ring-2 ring-kumo-brand">
            {source.name}
          </span>
          <Branches links={listeners} passed={[source.id]} />
        </div>
      </section>
    </section>
  );
}

function Branches({ links, passed }: { links: Link[]; passed: string[] }) {
  const breadth = BREADTH[passed.length - 1] ?? 0;
  if (links.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2 border-l border-kumo-line pl-2">
      {links.slice(0, breadth).map((link) => (
        <li key={link.subscription_id} className="flex items-center gap-2">
          <ArrowRightIcon aria-hidden className="shrink-0 text-kumo-subtle" />
          <Stop link={link} isBack={passed.includes(link.id)} />
          {!passed.includes(link.id) && <Onward link={link} passed={[...passed, link.id]} />}
        </li>
      ))}
      {links.length > breadth && (
        <li className="text-sm text-kumo-subtle">and {links.length - breadth} more</li>
      )}
    </ul>
  );
}

/** Webhooks emit only alerts, and events beyond the shown levels are not followed. */
function Onward({ link: { type, id }, passed }: { link: Link; passed: string[] }) {
  const isFollowed = (type === "source" || type === "workflow") && passed.length <= BREADTH.length;
  const { data = [] } = useQuery({ ...listenersOfQuery(type, id), enabled: isFollowed });
  return isFollowed ? <Branches links={data} passed={passed} /> : null;
}

function Stop({ link: { type, id, name, active }, isBack }: { link: Link; isBack: boolean }) {
  const { icon: KindIcon, label, section } = kindOf(type);
  const text = name ?? id;
  return (
    <span className="flex max-w-60 items-center gap-2 rounded-lg bg-kumo-base px-3 py-2 text-sm ring ring-kumo-line">
      {isBack ? (
        <RepeatIcon aria-label="back to" className="shrink-0 text-kumo-warning" />
      ) : (
        <KindIcon aria-label={label} className="shrink-0" />
      )}
      {section === undefined ? (
        <span className="truncate" title={text}>
          {text}
        </span>
      ) : (
        <AppLink
          to={`/${section}/${encodeURIComponent(id)}`}
          title={text}
          className={`${LINK} truncate`}
        >
          {text}
        </AppLink>
      )}
      {active === false && <span className="text-kumo-subtle">paused</span>}
    </span>
  );
}

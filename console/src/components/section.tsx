import { Text } from "@cloudflare/kumo";
import type { ReactNode } from "react";

/** A part of a page, with a heading and actions of its own. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="mb-8 flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <Text variant="heading" as="h2">
            {title}
          </Text>
          {description !== undefined && <p className="text-sm text-kumo-subtle">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values of one thing, beside each other where there is room. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 rounded-lg bg-kumo-base p-4 ring ring-kumo-line sm:grid-cols-[max-content_minmax(0,1fr)] sm:gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-kumo-subtle">{name}</dt>
          <dd className="mb-3 min-w-0 break-words sm:mb-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A card around a form or a few lines. */
export function Card({ children }: { children: ReactNode }) {
  return <div className="min-w-0 rounded-lg bg-kumo-base p-4 ring ring-kumo-line">{children}</div>;
}

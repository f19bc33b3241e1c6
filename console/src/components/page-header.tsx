import { Text } from "@cloudflare/kumo";
import { type ReactNode, useEffect } from "react";

/** The title of a page, also of the browser's tab, with its actions. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Wellspring`;
  }, [title]);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-4">
      <div className="min-w-0 flex-1 basis-72">
        <Text variant="heading" size="lg" as="h1">
          {title}
        </Text>
        {description !== undefined && <p className="text-kumo-subtle">{description}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  );
}

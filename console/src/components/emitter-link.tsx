import { AppLink } from "./app-link.tsx";
import { LINK } from "./links.tsx";

/** A link to a source, a workflow or a webhook by its id; text for any other id. */
export function EmitterLink({ id, name = id }: { id: string; name?: string }) {
  const path = pathOf(id);
  if (path === undefined) return <span className="font-mono text-sm">{name}</span>;
  return (
    <AppLink to={path} className={name === id ? `${LINK} font-mono text-sm` : LINK}>
      {name}
    </AppLink>
  );
}

const SECTIONS: Record<string, string> = { dc_: "sources", p_: "workflows", wh_: "webhooks" };

function pathOf(id: string): string | undefined {
  const prefix = Object.keys(SECTIONS).find((start) => id.startsWith(start));
  return prefix === undefined ? undefined : `/${SECTIONS[prefix]}/${encodeURIComponent(id)}`;
}

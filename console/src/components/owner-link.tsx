import { AppLink } from "./app-link.tsx";
import { CopyText } from "./copy.tsx";
import { LINK } from "./links.tsx";

const SECTIONS: Record<string, string> = { u_: "users", o_: "workspaces" };

/** A link to the page that operators have about an owner. External users have none. */
export function OwnerLink({ id }: { id: string }) {
  const path = ownerPath(id);
  if (path === undefined) return <CopyText value={id} />;
  return (
    <AppLink to={path} className={`${LINK} font-mono text-sm`} title={id}>
      {id}
    </AppLink>
  );
}

/** The path of that page; nothing where there is none. */
export function ownerPath(id: string): string | undefined {
  const prefix = Object.keys(SECTIONS).find((start) => id.startsWith(start));
  return prefix === undefined ? undefined : `/admin/${SECTIONS[prefix]}/${encodeURIComponent(id)}`;
}

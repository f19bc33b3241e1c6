/** The part of an issue that leads to a page. */
type Issue = {
  resource_type: "source" | "workflow" | "webhook" | "account" | "user" | "workspace";
  resource_id: string;
  next: { action: string };
};

const TABS: Record<string, string> = {
  "source read_errors": "/errors",
  "source read_logs": "/logs",
  "source choose_account": "/configuration",
  "workflow choose_account": "/definition",
};

/** The page for the solution of an issue. */
export function placeOf(item: Issue): { to: string; search?: { org: string } } {
  const { resource_type: type, resource_id: id, next } = item;
  switch (type) {
    case "source":
    case "workflow":
    case "webhook":
      return { to: `/${type}s/${encodeURIComponent(id)}${TABS[`${type} ${next.action}`] ?? ""}` };
    case "account":
      return { to: `/settings/accounts/${encodeURIComponent(id)}` };
    case "user":
      return { to: "/settings/usage" };
    case "workspace":
      return { to: "/settings/usage", search: { org: id } };
  }
}

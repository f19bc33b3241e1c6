import type { Attention } from "../../api/overview.ts";

/** The page on which something that needs attention is solved. */
export function placeOf(item: Attention): string {
  const id = encodeURIComponent(item.resource_id);
  switch (item.resource_type) {
    case "source":
      return `/sources/${id}${sourceTab(item.next.action)}`;
    case "workflow":
      return `/workflows/${id}`;
    case "webhook":
      return `/webhooks/${id}`;
    case "account":
      return "/connect";
    case "user":
    case "workspace":
      return "/settings";
  }
}

function sourceTab(action: string): string {
  const tabs: Record<string, string> = {
    read_errors: "/errors",
    read_logs: "/logs",
    choose_account: "/configuration",
  };
  return tabs[action] ?? "";
}

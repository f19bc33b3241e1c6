import { Badge } from "@cloudflare/kumo";

import type { OpenSession } from "../api/account.ts";
import { Time } from "./time.tsx";
import type { Column } from "./virtual-table.tsx";

/** The fields of a console session. */
export const SESSION_COLUMNS: Column<OpenSession>[] = [
  {
    id: "agent",
    header: "Browser",
    cell: ({ user_agent, is_current, is_operator }) => (
      <span className="flex min-w-0 items-center gap-2">
        {is_current && <Badge variant="info">this one</Badge>}
        {is_operator && <Badge variant="warning">operator</Badge>}
        <span className="truncate" title={user_agent ?? undefined}>
          {browserOf(user_agent)}
        </span>
      </span>
    ),
  },
  {
    id: "created",
    header: "Signed in",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
  {
    id: "seen",
    header: "Last seen",
    width: "9rem",
    cell: ({ last_seen_at }) => <Time at={last_seen_at * 1000} />,
  },
  {
    id: "expires",
    header: "Ends",
    width: "9rem",
    cell: ({ expires_at }) => <Time at={expires_at * 1000} />,
  },
];

const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /Edg\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\//],
  ["Chrome", /Chrom(e|ium)\//],
  ["Safari", /Safari\//],
];

const SYSTEMS: [name: string, mark: RegExp][] = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS/],
  ["Linux", /Linux/],
];

/** The browser and the system of a user agent; the whole text if they are unknown. */
export function browserOf(agent: string | null): string {
  if (agent === null) return "unknown";
  const named = [BROWSERS, SYSTEMS].map((known) => known.find(([, mark]) => mark.test(agent))?.[0]);
  return named.filter((name) => name !== undefined).join(" on ") || agent;
}

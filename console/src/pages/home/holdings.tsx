import { LayerCard } from "@cloudflare/kumo";
import { Link } from "@tanstack/react-router";

import type { Overview } from "../../api/overview.ts";
import { formatNumber } from "../../components/format.ts";

const KINDS: { key: keyof Overview["counts"]; label: string; path: string }[] = [
  { key: "sources", label: "Sources", path: "/sources" },
  { key: "workflows", label: "Workflows", path: "/workflows" },
  { key: "webhooks", label: "Webhooks", path: "/webhooks" },
  { key: "accounts", label: "Accounts", path: "/settings/accounts" },
];

/** The number of resources of each kind, with links to them. */
export function Holdings({ counts }: { counts: Overview["counts"] }) {
  return (
    <nav aria-label="Resources" className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {KINDS.map(({ key, label, path }) => (
        <LayerCard key={key} className="p-0">
          <Link
            to={path}
            className="flex items-baseline justify-between gap-2 rounded-lg p-4 hover:bg-kumo-tint"
          >
            <span className="text-sm text-kumo-subtle">{label}</span>
            <span className="text-lg font-semibold tabular-nums">{formatNumber(counts[key])}</span>
          </Link>
        </LayerCard>
      ))}
    </nav>
  );
}

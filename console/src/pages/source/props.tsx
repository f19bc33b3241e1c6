import { LayerCard } from "@cloudflare/kumo";
import { SlidersHorizontalIcon } from "@phosphor-icons/react";

import type { Source } from "../../api/sources.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { SectionTitle } from "../../components/section-title.tsx";

/** The values of a source's props. */
export function Props({ source }: { source: Source }) {
  const { configured_props: props } = source;
  if (Object.keys(props).length === 0)
    return (
      <EmptyState
        icon={<SlidersHorizontalIcon size={40} className="text-kumo-subtle" />}
        title="Nothing is configured"
        sentence="The component has no props, or all of them have their defaults."
      />
    );
  return (
    <LayerCard className="p-4">
      <SectionTitle>Props</SectionTitle>
      <p className="mb-3 text-sm text-kumo-subtle">Secrets are left out.</p>
      <JsonTree value={props} root="configured_props" />
    </LayerCard>
  );
}

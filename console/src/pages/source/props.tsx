import { LayerCard, Loader } from "@cloudflare/kumo";
import { PencilSimpleIcon, SlidersHorizontalIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import { componentQuery, type Source } from "../../api/sources.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { SectionTitle } from "../../components/section-title.tsx";
import { EditProps } from "./edit-props.tsx";

/** The values of a source's props, and the form that changes them. */
export function Props({ source }: { source: Source }) {
  // Back leads from a saved or left form to the page before it.
  const [edited, setEdited] = useSearchParam("edit", { replace: true });
  const isEdited = edited !== "";
  return (
    <LayerCard className="p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <div>
          <SectionTitle>Props</SectionTitle>
          <p className="text-sm text-kumo-subtle">Secrets are not shown.</p>
        </div>
        {!isEdited && (
          <LinkButton
            to={`/sources/${source.id}/configuration`}
            search={{ edit: "props" }}
            size="sm"
            icon={<PencilSimpleIcon />}
          >
            Edit
          </LinkButton>
        )}
      </div>
      {isEdited ? <Form source={source} onEnd={() => setEdited("")} /> : <Values source={source} />}
    </LayerCard>
  );
}

function Form({ source, onEnd }: { source: Source; onEnd: () => void }) {
  const { data, error, refetch } = useQuery(componentQuery(source.component_id));
  if (data) return <EditProps source={source} declared={data.configurable_props} onEnd={onEnd} />;
  return error ? (
    <FailureNotice error={error} onRetry={() => void refetch()} />
  ) : (
    <Loader aria-label="Reading the component" />
  );
}

function Values({ source: { id, configured_props: props } }: { source: Source }) {
  if (Object.keys(props).length > 0) return <JsonTree value={props} root="configured_props" />;
  return (
    <EmptyState
      icon={<SlidersHorizontalIcon size={40} className="text-kumo-subtle" />}
      title="Nothing is configured"
      sentence="The component has no props, or all of them have their defaults."
      action={<LinkButton to={`/sources/${id}/code`}>Read its code</LinkButton>}
    />
  );
}

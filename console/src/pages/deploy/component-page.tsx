import { Banner, Loader } from "@cloudflare/kumo";
import { WarningIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { components } from "@wellspring/client";
import { useState } from "react";

import { api } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { CodeEditor } from "../../components/code-editor.tsx";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { DeployForm } from "./deploy-form.tsx";

type Component = components["schemas"]["Component"];

/** A component of the registry: its description, and the form that deploys it. */
export function DeployComponentPage() {
  const { key } = useParams({ from: "/shell/deploy/component/$key" });
  const { org } = useSearch({ from: "/shell/deploy/component/$key" });
  const { data, error, refetch } = useQuery({
    queryKey: ["component", org, key],
    queryFn: async ({ signal }) =>
      (
        await api.get("/components/{key}", {
          params: { path: { key }, query: { ...(org !== undefined && { org_id: org }) } },
          signal,
        })
      ).data,
    staleTime: 60_000,
  });
  const back = (
    <p className="mb-2 text-sm">
      <AppLink to="/deploy" className="text-kumo-link hover:underline">
        All components
      </AppLink>
    </p>
  );
  if (!data)
    return (
      <>
        {back}
        <PageHeader title={key} />
        {error ? (
          <FailureNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Loader aria-label="Reading the component" />
        )}
      </>
    );
  return (
    <>
      {back}
      <PageHeader
        title={data.name}
        description={
          <span className="flex flex-wrap items-center gap-x-3 text-sm">
            <CopyText value={key} what="key" /> Version {data.version}
          </span>
        }
      />
      <div className="flex max-w-3xl flex-col gap-6">
        {data.deprecated !== undefined && (
          <Banner
            variant="alert"
            icon={<WarningIcon weight="fill" />}
            title="Deprecated"
            description={data.deprecated}
          />
        )}
        {data.component_type === "action" ? (
          <ActionHint />
        ) : (
          <DeployForm
            key={data.id}
            component={data.id}
            source={{ component_id: data.id }}
            declared={data.configurable_props}
            org={org}
          />
        )}
        <ComponentCode component={data} />
      </div>
    </>
  );
}

function ActionHint() {
  return (
    <EmptyState
      title="This is an action"
      sentence="It runs as a step of a workflow: use its key there."
      action={<LinkButton to="/workflows/new">New workflow</LinkButton>}
    />
  );
}

function ComponentCode({ component: { code } }: { component: Component }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-kumo-subtle">Read its code</summary>
      <div className="mt-3">
        {isOpen && <CodeEditor label="Code of the component" language="ts" value={code} />}
      </div>
    </details>
  );
}

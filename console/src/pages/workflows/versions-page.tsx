import { Button, Select, Table } from "@cloudflare/kumo";
import { ArrowUUpLeftIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Time } from "../../components/time.tsx";
import { DiffText } from "./diff-text.tsx";
import { diffQuery, versionsQuery, workflowQuery, type WorkflowVersion } from "./queries.ts";

/** The versions of a workflow, the difference of two, and the button that restores one. */
export function WorkflowVersionsPage() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { data: versions, error, refetch } = useQuery(versionsQuery(id));
  const { data: workflow } = useQuery(workflowQuery(id));
  if (!versions)
    return error ? (
      <FailureNotice error={error} onRetry={() => void refetch()} />
    ) : (
      <LoadingRows label="Versions" />
    );
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(26rem,2fr)_3fr]">
      <VersionTable id={id} versions={versions} current={workflow?.version} />
      <Comparison id={id} versions={versions} />
    </div>
  );
}

function VersionTable({
  id,
  versions,
  current,
}: {
  id: string;
  versions: WorkflowVersion[];
  current: number | undefined;
}) {
  return (
    <div className="self-start overflow-x-auto rounded-lg bg-kumo-base ring ring-kumo-line">
      <Table aria-label="Versions">
        <Table.Header variant="compact">
          <Table.Row>
            <Table.Head>Version</Table.Head>
            <Table.Head>Deployed</Table.Head>
            <Table.Head>
              <span className="sr-only">Restore</span>
            </Table.Head>
          </Table.Row>
        </Table.Header>
        <Table.Body>
          {versions.map((version) => (
            <Table.Row key={version.version}>
              <Table.Cell>
                <VersionName id={id} version={version} isCurrent={version.version === current} />
              </Table.Cell>
              <Table.Cell>
                <Time at={version.created_at * 1000} />
                <span
                  title={version.user_id ?? ""}
                  className="block max-w-32 truncate text-sm text-kumo-subtle"
                >
                  by {version.user_id ?? "the operator"}
                </span>
              </Table.Cell>
              <Table.Cell className="text-right">
                {version.version !== current && <Restore id={id} version={version} />}
              </Table.Cell>
            </Table.Row>
          ))}
        </Table.Body>
      </Table>
    </div>
  );
}

function VersionName({
  id,
  version: { version, name, restored_from: restored },
  isCurrent,
}: {
  id: string;
  version: WorkflowVersion;
  isCurrent: boolean;
}) {
  const before = Math.max(1, version - 1);
  return (
    <>
      <AppLink
        to={`/workflows/${id}/versions`}
        search={{ from: before, to: version }}
        className="font-medium text-kumo-default hover:underline"
      >
        {version} {name}
      </AppLink>
      <span className="block text-sm text-kumo-subtle">
        {isCurrent ? "Current" : restored === null ? "" : `Restored from ${restored}`}
        {isCurrent && restored !== null && `, restored from ${restored}`}
      </span>
    </>
  );
}

function Restore({ id, version: { version } }: { id: string; version: WorkflowVersion }) {
  const restore = useAction({
    run: () =>
      api.post("/workflows/{id}/versions/{version}/restore", { params: { path: { id, version } } }),
    done: ({ data }) => `Version ${version} is restored as version ${data.version}`,
    changes: [["workflows"]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name={`restore-${version}`}
      isDestructive={false}
      trigger={
        <Button size="sm" icon={<ArrowUUpLeftIcon />} aria-label={`Restore version ${version}`}>
          Restore
        </Button>
      }
      title={`Restore version ${version}?`}
      description="Its definition becomes a new version, with its code and its secrets. Runs in progress end on their version."
      confirmLabel="Restore"
      onConfirm={() => restore.mutateAsync()}
    />
  );
}

/** The differences between the two versions in the URL; by default the newest two. */
function Comparison({ id, versions }: { id: string; versions: WorkflowVersion[] }) {
  const search = useSearch({ from: "/shell/workflows/$id/versions" });
  const { from, to } = compared(search, versions);
  const { data, error, refetch } = useQuery({ ...diffQuery(id, from, to), enabled: from !== to });
  return (
    <section aria-label="Comparison" className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <VersionChoice label="From version" name="from" value={from} versions={versions} />
        <span aria-hidden>→</span>
        <VersionChoice label="To version" name="to" value={to} versions={versions} />
      </div>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {from === to && (
        <EmptyState
          title="Nothing to compare"
          sentence={
            versions.length < 2
              ? "A change of the definition creates a second version."
              : "Choose two versions."
          }
          action={
            versions.length < 2 && (
              <LinkButton to={`/workflows/${id}/definition`}>Change the definition</LinkButton>
            )
          }
        />
      )}
      {data && <DiffText diff={data.diff} omitted={data.omitted} />}
    </section>
  );
}

/** The two versions in the URL; by default the newest two. */
function compared(search: { from?: string; to?: string }, versions: WorkflowVersion[]) {
  const to = Number(search.to ?? versions[0]?.version);
  return { to, from: Number(search.from ?? versions[1]?.version ?? to) };
}

function VersionChoice({
  label,
  name,
  value,
  versions,
}: {
  label: string;
  name: string;
  value: number;
  versions: WorkflowVersion[];
}) {
  const [, choose] = useSearchParam(name);
  const items = versions.map(({ version }) => ({ value: String(version), label: `${version}` }));
  return (
    <Select<string>
      aria-label={label}
      value={String(value)}
      onValueChange={(next) => choose(next ?? "")}
      items={items}
    />
  );
}

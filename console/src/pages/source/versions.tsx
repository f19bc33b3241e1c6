import { Badge, Button, LayerCard } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";

import { restoreVersion, sourceKeys, sourceQuery, type SourceVersion } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyText } from "../../components/copy.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Time } from "../../components/time.tsx";

/** The versions of a source's code, newest first; an earlier one can be shown, compared and restored. */
export function Versions({
  sourceId,
  shown,
  versions,
}: {
  sourceId: string;
  shown: number;
  versions: SourceVersion[];
}) {
  return (
    <section aria-labelledby="versions">
      <LayerCard className="p-0">
        <div className="p-4">
          <SectionTitle id="versions">Versions</SectionTitle>
        </div>
        <ol className="max-h-[60dvh] divide-y divide-kumo-hairline overflow-y-auto border-t border-kumo-hairline">
          {versions.map((version) => (
            <Version
              key={version.version}
              sourceId={sourceId}
              version={version}
              isShown={version.version === shown}
            />
          ))}
        </ol>
      </LayerCard>
    </section>
  );
}

function Version({
  sourceId,
  version,
  isShown,
}: {
  sourceId: string;
  version: SourceVersion;
  isShown: boolean;
}) {
  const { version: number, at, key, component_version: release, component_id: id } = version;
  return (
    <li className={`flex flex-col gap-1 p-4 ${isShown ? "bg-kumo-tint" : ""}`}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <AppLink
          to={`/sources/${encodeURIComponent(sourceId)}/code`}
          search={version.is_current ? {} : { version: number }}
          aria-current={isShown ? "true" : undefined}
          className="font-medium text-kumo-link hover:underline"
        >
          Version {number}
        </AppLink>
        {version.is_current && <Badge variant="success">current</Badge>}
      </div>
      <p className="text-sm text-kumo-subtle">
        <Time at={at * 1000} />
        {key !== null && ` · ${key}`}
        {release !== null && ` · ${release}`}
      </p>
      <CopyText value={id} what="component id" />
      {!version.is_current && <Restore sourceId={sourceId} version={version} />}
    </li>
  );
}

function Restore({ sourceId, version }: { sourceId: string; version: SourceVersion }) {
  const { data: source } = useQuery(sourceQuery(sourceId));
  const restore = useAction({
    run: async () => source && restoreVersion(source, version),
    done: `Version ${version.version} runs again, as a new version`,
    changes: [sourceKeys.one(sourceId)],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name={`restore-${version.version}`}
      trigger={
        <Button size="sm" className="mt-1 self-start">
          Restore
        </Button>
      }
      title={`Restore version ${version.version}?`}
      description="The source runs this code from now on. Its state, its props and its subscriptions do not change, and the current version can be restored in the same way."
      confirmLabel="Restore"
      isDestructive={false}
      onConfirm={() => restore.mutateAsync()}
    />
  );
}

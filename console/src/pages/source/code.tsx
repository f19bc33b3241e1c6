import { Select } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";

import {
  codeQuery,
  type SourceCode,
  type SourceVersion,
  versionsQuery,
} from "../../api/sources.ts";
import { CodeDiff } from "../../components/code-diff.tsx";
import { CodeEditor } from "../../components/code-editor.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { fileOf, languageOf, paths } from "./files.ts";
import { Versions } from "./versions.tsx";

/** The code of a source: its versions, and the difference of two. */
export function CodeTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { version, against } = useSearch({ from: "/shell/sources/$sourceId/code" });
  const code = useQuery(codeQuery(sourceId, version));
  const before = useQuery({ ...codeQuery(sourceId, against), enabled: against !== undefined });
  const { data: versions = [] } = useQuery(versionsQuery(sourceId));
  const error = code.error ?? before.error;
  if (error) return <FailureNotice error={error} onRetry={() => void code.refetch()} />;
  if (!code.data) return <LoadingRows label="Code" />;
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <Files
        code={code.data}
        before={against === undefined ? undefined : before.data}
        versions={versions}
      />
      <Versions sourceId={sourceId} shown={code.data.version} versions={versions} />
    </div>
  );
}

function Files({
  code,
  before,
  versions,
}: {
  code: SourceCode;
  before: SourceCode | undefined;
  versions: SourceVersion[];
}) {
  const { file: wanted, line } = useSearch({ from: "/shell/sources/$sourceId/code" });
  const all = paths(code, before);
  const path = fileOf(all, wanted) ?? fileOf(all, code.entry ?? undefined) ?? all[0] ?? "";
  const text = textOf(code, path);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <FileChoice all={all} path={path} />
        <Comparison shown={code.version} versions={versions} />
        <CopyButton label="Copy the file" text={() => text} />
      </div>
      {code.truncated && (
        <p className="text-sm text-kumo-subtle">Some files are left out: the code is too large.</p>
      )}
      {before ? (
        <CodeDiff
          label={`Changes of ${path} from version ${before.version} to ${code.version}`}
          before={textOf(before, path)}
          after={text}
          language={languageOf(path)}
        />
      ) : (
        <CodeEditor
          label={path}
          value={text}
          language={languageOf(path)}
          {...(line !== undefined && { line })}
        />
      )}
    </div>
  );
}

function textOf({ files }: SourceCode, path: string): string {
  return files.find((file) => file.path === path)?.code ?? "";
}

function FileChoice({ all, path }: { all: string[]; path: string }) {
  const [, setFile] = useSearchParam("file");
  if (all.length < 2) return <span className="font-mono text-sm">{path}</span>;
  return (
    <Select
      aria-label="File"
      size="sm"
      className="w-64"
      items={Object.fromEntries(all.map((name) => [name, name]))}
      value={path}
      onValueChange={(value) => setFile(value ?? "")}
    />
  );
}

/** No version to compare with. */
const NONE = "none";

function Comparison({ shown, versions }: { shown: number; versions: SourceVersion[] }) {
  const { against } = useSearch({ from: "/shell/sources/$sourceId/code" });
  const [, setAgainst] = useSearchParam("against");
  const others = versions.filter(({ version }) => version !== shown);
  if (others.length === 0) return null;
  return (
    <Select
      aria-label="Compare with"
      size="sm"
      className="w-52"
      items={Object.fromEntries([
        [NONE, "Compare with…"],
        ...others.map(({ version }) => [`v${version}`, `against version ${version}`]),
      ])}
      value={against === undefined ? NONE : `v${against}`}
      onValueChange={(value) => setAgainst(value === null || value === NONE ? "" : value.slice(1))}
    />
  );
}

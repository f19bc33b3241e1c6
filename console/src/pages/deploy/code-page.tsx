import { Banner, Button, Select } from "@cloudflare/kumo";
import { HammerIcon, WarningIcon } from "@phosphor-icons/react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type components, WellspringError } from "@wellspring/client";
import type { KeyboardEvent } from "react";

import { api } from "../../api/client.ts";
import { componentQuery } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { CodeEditor, type CodeProblem } from "../../components/code-editor.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { isObject } from "../../components/props-form/spec.ts";
import { useSearchParam } from "../../components/search-param.ts";
import { DeployForm } from "./deploy-form.tsx";
import { DeployHeader } from "./deploy-header.tsx";
import { type Draft, useDraft } from "./draft.ts";
import { CODE_TEMPLATES } from "./templates.ts";

/** Own code: it is built first, which shows its props; then it is deployed. The URL names the build. */
export function DeployCodePage() {
  const { draft, setDraft, build, built, forgetBuilt } = useBuild();
  const start = () => {
    setDraft(draft);
    build.mutate();
  };
  const change = (fields: Partial<Draft>) => {
    setDraft({ ...draft, ...fields });
    build.reset();
    // Text of one language may be none of the other.
    if (fields.language !== undefined) forgetBuilt();
  };
  const problems = problemsIn(build.error);
  const isCurrent = built?.code === draft.code;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  };
  return (
    <>
      <DeployHeader />
      <div className="grid gap-8 xl:grid-cols-[3fr_2fr]">
        <div
          role="presentation"
          className="flex min-w-0 flex-col gap-4"
          onKeyDownCapture={onKeyDown}
        >
          <Toolbar draft={draft} onChange={change} isBuilding={build.isPending} onBuild={start} />
          <CodeEditor
            key={draft.language}
            label="Code of the component"
            language={draft.language}
            value={draft.code}
            onChange={(code) => change({ code })}
            problems={problems}
          />
          <Failure error={build.error} problems={problems} />
        </div>
        <section aria-label="Configuration" className="min-w-0">
          <h2 className="mb-4 text-lg font-semibold">Configuration</h2>
          {built && isCurrent ? (
            <Built component={built} warnings={build.data?.warnings ?? []} />
          ) : (
            <EmptyState
              title={built ? "The code has changed" : "Build the code first"}
              sentence="Its props are shown here then. Ctrl+Enter in the editor builds it, too. To work in files of your own:"
              command="npx wellspring dev examples/orders.js"
            />
          )}
        </section>
      </div>
    </>
  );
}

/** The draft, the component that the URL names as built, and the call that builds. */
function useBuild() {
  const { org, built: builtId } = useSearch({ from: "/shell/deploy/code" });
  const [, setBuiltId] = useSearchParam("built", { replace: true });
  const client = useQueryClient();
  const { data: built } = useQuery({
    ...componentQuery(builtId ?? ""),
    enabled: builtId !== undefined,
  });
  const { draft, setDraft } = useDraft(built?.code);
  const build = useAction({
    run: async () => {
      const body = {
        component_code: draft.code,
        language: draft.language,
        ...(org !== undefined && { org_id: org }),
      };
      const saved = await api.post("/components", { body });
      return { component: saved.data, warnings: warningsIn(saved) };
    },
    done: ({ component }) => `${component.name} is built`,
    isFailureShown: true,
    onDone: ({ component }) => {
      client.setQueryData(componentQuery(component.id).queryKey, component);
      setBuiltId(component.id);
    },
  });
  return { draft, setDraft, build, built, forgetBuilt: () => setBuiltId("") };
}

/** The form of the built component. */
function Built({
  component: { id, configurable_props: declared },
  warnings,
}: {
  component: components["schemas"]["Component"];
  warnings: string[];
}) {
  const { org } = useSearch({ from: "/shell/deploy/code" });
  return (
    <>
      <Warnings warnings={warnings} />
      <DeployForm component={id} source={{ component_id: id }} declared={declared} org={org} />
    </>
  );
}

function Toolbar({
  draft,
  onChange,
  isBuilding,
  onBuild,
}: {
  draft: Draft;
  onChange: (fields: Partial<Draft>) => void;
  isBuilding: boolean;
  onBuild: () => void;
}) {
  const isChanged = !CODE_TEMPLATES.some(({ code }) => code === draft.code);
  const chosen = CODE_TEMPLATES.find(({ code }) => code === draft.code)?.id ?? null;
  const begin = (id: string | null) => {
    const template = CODE_TEMPLATES.find((one) => one.id === id);
    if (template) onChange({ code: template.code });
  };
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Select<string>
        label="Template"
        placeholder="Your own code"
        value={chosen}
        disabled={isChanged}
        onValueChange={begin}
        items={CODE_TEMPLATES.map(({ id, title }) => ({ value: id, label: title }))}
      />
      <Select<Draft["language"]>
        label="Language"
        value={draft.language}
        onValueChange={(language) => language !== null && onChange({ language })}
        items={{ js: "JavaScript", ts: "TypeScript" }}
      />
      {isChanged && <Button onClick={() => begin("http")}>Start over</Button>}
      <Button
        variant="primary"
        icon={<HammerIcon />}
        className="ml-auto"
        loading={isBuilding}
        onClick={onBuild}
      >
        Build
      </Button>
    </div>
  );
}

/** Warnings, for example about names that are one typo away from known ones. */
function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="mb-6">
      <Banner
        variant="alert"
        size="sm"
        icon={<WarningIcon weight="fill" />}
        title="It builds with warnings"
        description={warnings.join(" ")}
      />
    </div>
  );
}

function warningsIn(saved: object): string[] {
  const warnings: unknown = "warnings" in saved ? saved.warnings : undefined;
  return Array.isArray(warnings) ? warnings.filter((one) => typeof one === "string") : [];
}

function Failure({ error, problems }: { error: Error | null; problems: CodeProblem[] }) {
  if (!error) return null;
  if (problems.length === 0) return <FailureNotice error={error} />;
  return (
    <div role="alert">
      <FailureNotice error={error} title="The code does not build" />
      <ul className="mt-2 flex flex-col gap-1 text-sm text-kumo-danger">
        {problems.map(({ line, column = 0, message }) => (
          <li key={`${line}:${column} ${message}`}>
            Line {line}, column {column + 1}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The errors of the bundler, at their positions. */
function problemsIn(error: Error | null): CodeProblem[] {
  const issues = error instanceof WellspringError ? error.details?.["issues"] : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.flatMap((issue: unknown) => {
    if (!isObject(issue)) return [];
    const { line, column, text } = issue;
    if (typeof line !== "number" || typeof text !== "string") return [];
    return [{ line, message: text, ...(typeof column === "number" && { column: column - 1 }) }];
  });
}

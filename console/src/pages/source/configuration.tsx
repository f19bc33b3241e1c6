import { Button, Input, LayerCard } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";

import { type Source, sourceKeys, sourceQuery, updateSource } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { SectionTitle } from "../../components/section-title.tsx";
import { Time } from "../../components/time.tsx";
import { Props } from "./props.tsx";

/** The forms for the name of a source and the values of its props. */
export function ConfigurationTab() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { data: source } = useQuery(sourceQuery(sourceId));
  if (!source) return null;
  return (
    <div className="flex flex-col gap-4">
      <Props key={source.updated_at} source={source} />
      <LayerCard className="p-4">
        <Rename key={source.name} source={source} />
      </LayerCard>
      <Facts source={source} />
    </div>
  );
}

function Rename({ source }: { source: Source }) {
  const [name, setName] = useState(source.name);
  const rename = useAction({
    run: () => updateSource(source, { name: name.trim() }),
    done: "The source was renamed",
    changes: [sourceKeys.all],
    isFailureShown: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Input
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="w-72"
        />
        <Button type="submit" loading={rename.isPending} disabled={name.trim() === source.name}>
          Rename
        </Button>
      </div>
      {rename.error && <FailureNotice error={rename.error} />}
    </form>
  );
}

function Facts({ source }: { source: Source }) {
  return (
    <LayerCard className="p-4">
      <SectionTitle>Details</SectionTitle>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm [&_dt]:text-kumo-subtle">
        <dt>Slug</dt>
        <dd>
          <CopyText value={source.name_slug} what="slug" />
        </dd>
        <dt>Component</dt>
        <dd>
          <CopyText value={source.component_id} what="component id" />
        </dd>
        <dt>Deployed by</dt>
        <dd>
          <CopyText value={source.user_id} what="user id" />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={source.created_at * 1000} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time at={source.updated_at * 1000} />
        </dd>
      </dl>
    </LayerCard>
  );
}

import { Button, Input, LayerCard } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";

import { type Source, sourceKeys, sourceQuery, updateSource } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount } from "../../components/format.ts";
import { SectionTitle } from "../../components/section-title.tsx";
import { ShardsField, shardsIn } from "../../components/shards-field.tsx";
import { Time } from "../../components/time.tsx";
import { Props } from "./props.tsx";
import { endpointsOf } from "./triggers.ts";

/** The forms for the name of a source, the values of its props, and its shards. */
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
      {endpointsOf(source.configured_props).length > 0 && (
        <LayerCard className="p-4">
          <Shards key={source.shards} source={source} />
        </LayerCard>
      )}
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

/** The number of a source's shards, with the API's rule if its component cannot have several. */
function Shards({ source }: { source: Source }) {
  const current = source.shards ?? 1;
  const [typed, setTyped] = useState(String(current));
  const wanted = shardsIn(typed);
  const change = useAction({
    run: () => updateSource(source, { shards: wanted ?? 1 }),
    done: ({ shards = 1 }) => `${formatCount(shards, "object takes", "objects take")} its events`,
    changes: [sourceKeys.all],
    isFailureShown: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col items-start gap-3">
      <ShardsField value={typed} onChange={setTyped} error={change.error} />
      <Button
        type="submit"
        loading={change.isPending}
        disabled={wanted === undefined || wanted === current}
      >
        Change shards
      </Button>
      {change.error && <FailureNotice error={change.error} />}
    </form>
  );
}

function Facts({ source }: { source: Source }) {
  return (
    <LayerCard className="p-4">
      <SectionTitle>Details</SectionTitle>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-1 text-sm [&_dt]:text-kumo-subtle">
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

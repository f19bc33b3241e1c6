import type { Api } from "./api.ts";
import { Failure } from "./failure.ts";
import type { Source, Workflow } from "./wire.ts";

/** The source of an id, a name slug or a name on the command line. */
export async function sourceNamed(api: Api, given: string): Promise<Source> {
  return (await findSource(api, given)) ?? missing("source", given, await sourcesOf(api));
}

async function sourcesOf(api: Api): Promise<Source[]> {
  const sources: Source[] = [];
  for await (const source of api.rows<Source>("/users/me/sources")) sources.push(source);
  return sources;
}

/** The same; undefined if no source has the name. */
export async function findSource(api: Api, given: string): Promise<Source | undefined> {
  if (given.startsWith("dc_")) return api.data("GET", `/sources/${encodeURIComponent(given)}`);
  const all = await sourcesOf(api);
  const slugged = all.find(({ name_slug }) => name_slug === given);
  return (
    slugged ??
    only(
      all.filter(({ name }) => name === given),
      given,
    )
  );
}

/** The workflow of an id or a name on the command line. */
export async function workflowNamed(api: Api, given: string): Promise<Workflow> {
  if (given.startsWith("p_")) return api.data("GET", `/workflows/${encodeURIComponent(given)}`);
  const all: Workflow[] = [];
  for await (const workflow of api.rows<Workflow>("/workflows")) all.push(workflow);
  return (
    only(
      all.filter(({ name }) => name === given),
      given,
    ) ?? missing("workflow", given, all)
  );
}

function only<T extends { id: string }>(named: readonly T[], given: string): T | undefined {
  if (named.length <= 1) return named[0];
  const ids = named.map(({ id }) => id).join(", ");
  throw new Failure(`Several have the name ${given}`, { next: `name one of ${ids}` });
}

function missing(kind: string, given: string, all: readonly { name: string }[]): never {
  const meant = all.find(({ name }) => name.toLowerCase() === given.toLowerCase());
  throw new Failure(`There is no ${kind} ${given}`, {
    next: meant
      ? `did you mean ${meant.name}?`
      : `\`wellspring list ${kind}s\` shows existing ones`,
  });
}

/** The endpoint URLs of a source. */
export function endpointsOf({ configured_props: props }: Source): string[] {
  return Object.values(props).flatMap((value) =>
    typeof value === "object" && value !== null && "endpoint_url" in value
      ? [String(value.endpoint_url)]
      : [],
  );
}

import type { Api } from "./api.ts";
import { Failure } from "./failure.ts";
import type { Source, Workflow } from "./wire.ts";

/** The source of an id, a name slug or a name on the command line. */
export async function sourceNamed(api: Api, given: string): Promise<Source> {
  return (await findSource(api, given)) ?? missing("source", given);
}

/** The same; undefined if no source has the name. */
export async function findSource(api: Api, given: string): Promise<Source | undefined> {
  if (given.startsWith("dc_")) return api.data("GET", `/sources/${encodeURIComponent(given)}`);
  const named: Source[] = [];
  for await (const source of api.rows<Source>("/users/me/sources")) {
    if (source.name_slug === given) return source;
    if (source.name === given) named.push(source);
  }
  return only(named, given);
}

/** The workflow of an id or a name on the command line. */
export async function workflowNamed(api: Api, given: string): Promise<Workflow> {
  if (given.startsWith("p_")) return api.data("GET", `/workflows/${encodeURIComponent(given)}`);
  const named: Workflow[] = [];
  for await (const workflow of api.rows<Workflow>("/workflows"))
    if (workflow.name === given) named.push(workflow);
  return only(named, given) ?? missing("workflow", given);
}

function only<T extends { id: string }>(named: readonly T[], given: string): T | undefined {
  if (named.length <= 1) return named[0];
  const ids = named.map(({ id }) => id).join(", ");
  throw new Failure(`Several have the name ${given}`, { next: `name one of ${ids}` });
}

function missing(kind: string, given: string): never {
  throw new Failure(`There is no ${kind} ${given}`, {
    next: `\`wellspring list ${kind}s\` shows existing ones`,
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

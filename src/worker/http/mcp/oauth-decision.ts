import type { Context } from "hono";

import { type Grants, grantsIn, narrowedGrants } from "#domain/agent-grants.ts";
import { type Environment, ENVIRONMENTS } from "#domain/connect.ts";
import { invalidInput } from "#domain/errors.ts";
import { isId, type OwnerId } from "#domain/ids.ts";
import { ownerOfExternal } from "#services/agents/keys.ts";
import type { User } from "#services/users.ts";

import type { AppEnv } from "../env.ts";

/** The access that a form grants, limited to the access that a client requested. */
export function grantsAllowed(fields: URLSearchParams, requestedGrants: Grants): Grants {
  const listed = (name: string, prefix: string) =>
    textIn(fields, name)
      .split(",")
      .flatMap((word) => (word.trim() === "" ? [] : `${prefix}:${word.trim()}`));
  const words = [
    ...fields.getAll("kind"),
    ...listed("apps", "app"),
    ...listed("accounts", "account"),
  ];
  const chosen = grantsIn(words.join(" "));
  if (!chosen) throw invalid("kind", "choose one, and name apps by slugs and accounts by ids");
  const grants = narrowedGrants(requestedGrants, chosen);
  if ("problem" in grants) throw invalid(grants.problem, "must be among the requested scopes");
  return grants;
}

/** The user that a form authorizes a client to act for: the decider, or an external user of the named project. */
export async function ownerIn(
  c: Context<AppEnv>,
  fields: URLSearchParams,
  { user: actor, owner }: { user: User | undefined; owner: OwnerId },
): Promise<OwnerId> {
  const project = textIn(fields, "project");
  if (!actor || project === "") return owner;
  if (!isId("project", project)) throw invalid("project", "must be the id of a project");
  const environment = environmentIn(fields);
  const externalId = textIn(fields, "external_user");
  const context = { ...c.var.platform, actor, keyHash: "" };
  return ownerOfExternal(context, { project, environment, externalId });
}

function environmentIn(fields: URLSearchParams): Environment {
  const named = textIn(fields, "environment");
  const environment = ENVIRONMENTS.find((name) => name === named);
  if (environment) return environment;
  throw invalid("environment", `must be ${ENVIRONMENTS.join(" or ")}`);
}

function textIn(fields: URLSearchParams, name: string): string {
  return fields.get(name)?.trim() ?? "";
}

function invalid(path: string, message: string) {
  return invalidInput([{ path, message }]);
}

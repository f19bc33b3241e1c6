import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import { api, connectApi } from "../../api/client.ts";

export type Account = components["schemas"]["Account"];

/** A form field for connecting an account. */
export type CredentialField = {
  name: string;
  label: string;
  description: string | undefined;
  placeholder: string | undefined;
  isOptional: boolean;
  isSecret: boolean;
};

const MAX_ACCOUNTS = 100;

const MAX_APPS = 100;

/** The settings for connecting accounts of an app. */
type AppDescription = { authType: "keys" | "oauth" | "none"; fields: CredentialField[] };

/** The newest accounts of an app, of the user or of a workspace. */
export function useAccountsOf(app: string, org: string | undefined): UseQueryResult<Account[]> {
  return useQuery({
    queryKey: ["accounts", org, app],
    queryFn: ({ signal }) => accountsOf(app, org, signal),
    enabled: app !== "",
  });
}

/** The newest accounts of an app, of the user or of a workspace. */
export async function accountsOf(
  app: string,
  org: string | undefined,
  signal: AbortSignal,
): Promise<Account[]> {
  const query = { app, limit: MAX_ACCOUNTS };
  const { data } =
    org === undefined
      ? await api.get("/accounts", { params: { query }, signal })
      : await api.get("/workspaces/{id}/accounts", {
          params: { path: { id: org }, query },
          signal,
        });
  return data;
}

/** The settings for connecting accounts of an app; of an unknown app, from the credentials that the code reads. */
export function useAppDescription(
  app: string,
  credentials: string[],
  isEnabled: boolean,
): UseQueryResult<AppDescription> {
  return useQuery({
    queryKey: ["app", app],
    queryFn: ({ signal }) => describedApp(app, signal),
    enabled: isEnabled && app !== "",
    staleTime: 60_000,
    select: (described) => ({
      authType: described?.auth_type ?? "keys",
      fields: fieldsOf(described?.custom_fields_json ?? "[]", credentials),
    }),
  });
}

/** The settings of an app; null: none, for example of an app that only unsaved code names. */
async function describedApp(slug: string, signal: AbortSignal) {
  const query = { q: slug, limit: MAX_APPS };
  const { data } = await connectApi.GET("/apps", { params: { query }, signal });
  return data?.data.find(({ name_slug: known }) => known === slug) ?? null;
}

/** The fields of an app, else one for each credential that the code reads. */
export function fieldsOf(json: string, credentials: string[]): CredentialField[] {
  const described = parsedList(json).flatMap((field) => fieldOf(field) ?? []);
  if (described.length > 0) return described;
  const names = credentials.filter((name) => name !== "*");
  return names.map((name) => ({ ...PLAIN_FIELD, name, label: name }));
}

const PLAIN_FIELD = {
  description: undefined,
  placeholder: undefined,
  isOptional: false,
  isSecret: true,
};

function fieldOf(field: unknown): CredentialField | undefined {
  if (typeof field !== "object" || field === null || !("name" in field)) return undefined;
  const fields: Record<string, unknown> = { ...field };
  const name = textIn(fields, "name");
  if (name === undefined) return undefined;
  return {
    name,
    label: textIn(fields, "label") ?? name,
    description: textIn(fields, "description"),
    placeholder: textIn(fields, "placeholder"),
    isOptional: fields["optional"] === true,
    isSecret: fields["type"] !== "string",
  };
}

function textIn(field: Record<string, unknown>, name: string): string | undefined {
  const value = field[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parsedList(json: string): unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

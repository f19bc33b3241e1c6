import type { Answer, PythonCall } from "../call.ts";
import { ACCOUNT, APP, CATEGORY, OAUTH_APP, OVERRIDE, pageShape, TOKEN } from "../shapes.ts";

const hasId = ({ data }: Answer, id: string | undefined): boolean =>
  data.some((item: Answer) => item.id === id);

/** Apps, and accounts at them. */
export const ACCOUNT_CALLS: readonly PythonCall[] = [
  {
    call: "app_categories.list",
    request: "GET /v1/connect/app_categories",
    answer: [CATEGORY],
    made: { category: "0.id" },
  },
  {
    call: "app_categories.retrieve",
    request: "GET /v1/connect/app_categories/{id}",
    args: ({ category }) => ({ id: category }),
    answer: CATEGORY,
  },
  {
    call: "apps.list",
    request: "GET /v1/connect/apps",
    query: ["limit", "q", "category_ids", "has_components", "sort_key", "sort_direction"],
    args: ({ category }) => ({
      limit: 1,
      q: "shop",
      category_ids: [category, "other"],
      has_components: true,
      sort_key: "name",
      sort_direction: "asc",
    }),
    answer: pageShape(APP),
    check: ({ data }) => data.some(({ name_slug: slug }: Answer) => slug === "shop"),
  },
  {
    call: "apps.retrieve",
    request: "GET /v1/connect/apps/{app_id}",
    args: () => ({ app_id: "shop" }),
    answer: { data: APP },
  },
  ...["second", "account"].flatMap((name) => [newToken(), newAccount(name)]),
  {
    call: "accounts.list",
    request: "GET /v1/connect/{project}/accounts",
    query: ["external_user_id", "limit", "app", "include_credentials"],
    args: ({ user }) => ({
      external_user_id: user,
      limit: 1,
      app: "shop",
      include_credentials: false,
    }),
    answer: pageShape(ACCOUNT),
    check: (answer, { account, second }) => hasId(answer, account) && hasId(answer, second),
  },
  {
    call: "accounts.retrieve",
    request: "GET /v1/connect/{project}/accounts/{account_id}",
    args: ({ account }) => ({ account_id: account }),
    answer: ACCOUNT,
  },
  {
    call: "accounts.list_by_external_user",
    request: "GET /v1/connect/{project}/users/{external_user_id}/accounts",
    query: ["app"],
    args: ({ user }) => ({ external_user_id: user, app: "shop" }),
    answer: [ACCOUNT],
    check: (answer) => answer.length === 2,
  },
  {
    call: "accounts.delete",
    request: "DELETE /v1/connect/{project}/accounts/{account_id}",
    args: ({ second }) => ({ account_id: second }),
  },
  {
    call: "oauth_apps.create",
    request: "POST /v1/connect/{project}/oauth_apps",
    args: () => ({ app: "shop", client_id: "c", client_secret: "s", scopes: ["read"] }),
    answer: OAUTH_APP,
    made: { oauthApp: "id" },
  },
  {
    call: "oauth_apps.list",
    request: "GET /v1/connect/{project}/oauth_apps",
    query: ["limit", "app"],
    args: () => ({ limit: 1, app: "shop" }),
    answer: pageShape(OAUTH_APP),
    check: (answer, { oauthApp }) => hasId(answer, oauthApp),
  },
  {
    call: "oauth_apps.retrieve",
    request: "GET /v1/connect/{project}/oauth_apps/{id}",
    args: ({ oauthApp }) => ({ id: oauthApp }),
    answer: OAUTH_APP,
  },
  {
    call: "oauth_apps.update",
    request: "PUT /v1/connect/{project}/oauth_apps/{id}",
    args: ({ oauthApp }) => ({ id: oauthApp, client_id: "d" }),
    answer: OAUTH_APP,
    check: (answer) => answer.client_id === "d",
  },
  {
    call: "oauth_apps.delete",
    request: "DELETE /v1/connect/{project}/oauth_apps/{id}",
    args: ({ oauthApp }) => ({ id: oauthApp }),
  },
  {
    call: "app_overrides.create",
    request: "POST /v1/connect/{project}/app_overrides",
    args: () => ({ app: "shop", name: "Ours", cfmap: { api_key: "k" } }),
    answer: OVERRIDE,
    made: { override: "id" },
  },
  {
    call: "app_overrides.list",
    request: "GET /v1/connect/{project}/app_overrides",
    query: ["limit", "app"],
    args: () => ({ limit: 1, app: "shop" }),
    answer: pageShape(OVERRIDE),
    check: (answer, { override }) => hasId(answer, override),
  },
  {
    call: "app_overrides.retrieve",
    request: "GET /v1/connect/{project}/app_overrides/{id}",
    args: ({ override }) => ({ id: override }),
    answer: OVERRIDE,
  },
  {
    call: "app_overrides.update",
    request: "PUT /v1/connect/{project}/app_overrides/{id}",
    args: ({ override }) => ({ id: override, name: "Theirs" }),
    answer: OVERRIDE,
    check: (answer) => answer.name === "Theirs",
  },
  {
    call: "app_overrides.delete",
    request: "DELETE /v1/connect/{project}/app_overrides/{id}",
    args: ({ override }) => ({ id: override }),
  },
];

/** A token connects one account. */
function newToken(): PythonCall {
  return {
    call: "tokens.create",
    request: "POST /v1/connect/{project}/tokens",
    args: ({ user }) => ({ external_user_id: user }),
    answer: TOKEN,
    made: { token: "token" },
  };
}

function newAccount(name: string): PythonCall {
  return {
    call: "accounts.create",
    request: "POST /v1/connect/{project}/accounts",
    query: ["external_user_id"],
    args: ({ user, token }) => ({
      external_user_id: user,
      app_slug: "shop",
      cfmap_json: JSON.stringify({ api_key: "k-1" }),
      connect_token: token,
      name,
    }),
    answer: ACCOUNT,
    made: { [name]: "id" },
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import {
  connectByToken,
  deleteAccountsOfApp,
  deleteProjectAccount,
  getProjectAccount,
  listAllAccounts,
  listProjectAccounts,
} from "#services/connect/accounts.ts";

import { createRouter, Flag, idOf, many, none, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { ConnectedAccountBody, presentAll, presentOne } from "./connected-account-body.ts";
import { itself } from "./responses.ts";

const Project = z.object({ project: z.string() });
const ExternalUserId = z.string().min(1).max(250).optional();
const Slug = z.string().min(1).max(100);
const OauthAppId = idOf("oauth_app", "oa_5d0").optional();
const Shown = { include_credentials: Flag.optional() };
const ProjectAccountId = Project.extend({ id: idOf("account", "apn_5d0") });

const MAX_FIELDS_CHARACTERS = 64 * 1024;

const list = createRoute({
  operationId: "listConnectedAccounts",
  method: "get",
  path: "/{project}/accounts",
  request: {
    params: Project,
    query: PageQuery.safeExtend({
      external_user_id: ExternalUserId,
      oauth_app_id: OauthAppId,
      app: Slug.optional(),
      ...Shown,
    }),
  },
  responses: many(ConnectedAccountBody),
});

const create = createRoute({
  operationId: "connectAccount",
  method: "post",
  path: "/{project}/accounts",
  request: {
    params: Project,
    body: params(
      z.strictObject({
        app_slug: Slug,
        cfmap_json: z.string().max(MAX_FIELDS_CHARACTERS).transform(valuesIn),
        connect_token: z.string().min(1).max(200),
        name: z.string().trim().min(1).max(256).nullish(),
        account_id: z.string().nullish(),
        app_override_id: z.string().nullish(),
        external_user_id: ExternalUserId,
        oauth_app_id: z.string().optional(),
      }),
    ),
  },
  responses: itself(ConnectedAccountBody),
});

const read = createRoute({
  operationId: "getConnectedAccount",
  method: "get",
  path: "/{project}/accounts/{id}",
  request: { params: ProjectAccountId, query: z.object(Shown) },
  responses: itself(ConnectedAccountBody),
});

const remove = createRoute({
  operationId: "deleteConnectedAccount",
  method: "delete",
  path: "/{project}/accounts/{id}",
  request: { params: ProjectAccountId },
  responses: none,
});

const removeOfApp = createRoute({
  operationId: "deleteConnectedAccountsOfApp",
  method: "delete",
  path: "/{project}/apps/{app}/accounts",
  request: { params: Project.extend({ app: Slug }) },
  responses: none,
});

const listOfUser = createRoute({
  operationId: "listAccountsOfExternalUser",
  method: "get",
  path: "/{project}/users/{external_user_id}/accounts",
  request: {
    params: Project.extend({ external_user_id: z.string() }),
    query: z.object({ app: Slug.optional(), ...Shown }),
  },
  responses: itself(z.array(ConnectedAccountBody)),
});

export const connectedAccounts = createRouter()
  .openapi(list, async (c) => {
    const { external_user_id, oauth_app_id, app, include_credentials, ...request } = await openPage(
      c,
      c.req.valid("query"),
    );
    const filter = { app, oauthAppId: oauth_app_id };
    const page = await listProjectAccounts(c.var.project, external_user_id, {
      ...request,
      ...filter,
    });
    const shown = await presentAll(c.var.project, page.items, include_credentials);
    return c.json({ ...(await pageBody(c, page, ({ id }) => id)), data: shown }, 200);
  })
  .openapi(create, async (c) => {
    const input = c.req.valid("json");
    const account = await connectByToken(c.var.project, {
      token: input.connect_token,
      app: input.app_slug,
      values: input.cfmap_json,
      name: input.name ?? undefined,
      accountId: input.account_id ?? undefined,
      overrideId: input.app_override_id ?? undefined,
      oauthAppId: input.oauth_app_id,
      externalUserId: input.external_user_id,
    });
    return c.json(await presentOne(c.var.project, account), 200);
  })
  .openapi(read, async (c) => {
    const account = await getProjectAccount(c.var.project, c.req.valid("param").id);
    const { include_credentials } = c.req.valid("query");
    return c.json(await presentOne(c.var.project, account, include_credentials), 200);
  })
  .openapi(remove, async (c) => {
    await deleteProjectAccount(c.var.project, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(removeOfApp, async (c) => {
    await deleteAccountsOfApp(c.var.project, c.req.valid("param").app);
    return c.body(null, 204);
  })
  .openapi(listOfUser, async (c) => {
    const { app, include_credentials } = c.req.valid("query");
    const accounts = await listAllAccounts(
      c.var.project,
      c.req.valid("param").external_user_id,
      app,
    );
    return c.json(await presentAll(c.var.project, accounts, include_credentials), 200);
  });

/** JSON text of an object with texts, numbers and booleans, as forms have them. */
function valuesIn(text: string, issues: z.RefinementCtx): Map<string, string> {
  const given = z
    .record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()]))
    .safeParse(parsed(text));
  if (given.success)
    return new Map(Object.entries(given.data).map(([name, value]) => [name, String(value)]));
  issues.addIssue("must be the JSON text of an object of texts by the names of the app's fields");
  return z.NEVER;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

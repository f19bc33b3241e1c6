import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";

import { GLOBAL, publishComponent } from "#services/registry.ts";

import type { AppEnv } from "../env.ts";
import { codeFailures, conflict, createRouter, one, params, refused } from "../openapi.ts";
import { registryImportRoutes } from "../registry-import-routes.ts";
import { type RegistryCaller, registryRoutes } from "../registry-routes.ts";
import { CodeFields, codeIn, ComponentBody, License, presentComponent } from "../v1/components.ts";

const publish = createRoute({
  operationId: "publishComponent",
  method: "post",
  path: "/registry",
  request: { body: params(z.object({ ...CodeFields, license: License })) },
  responses: one(ComponentBody, { ...codeFailures, ...conflict, ...refused }),
});

export const registry = createRouter().openapi(publish, async (c) => {
  const { license, ...given } = c.req.valid("json");
  const code = { ...codeIn(given), license: license ?? undefined };
  const component = await publishComponent(c.var.platform, GLOBAL, code);
  return c.json({ data: presentComponent(component) }, 200);
});

/** Publishes to the global registry, which all operators share. */
export function globalCaller({ var: { platform } }: HonoContext<AppEnv>): RegistryCaller {
  const { owner } = GLOBAL;
  return { ctx: platform, author: GLOBAL, reader: { user: owner, first: owner } };
}

export const registryVersions = registryRoutes(globalCaller);
export const registryImports = registryImportRoutes(globalCaller);

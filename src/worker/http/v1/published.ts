import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";

import { publishComponent } from "#services/registry.ts";

import type { AppEnv } from "../env.ts";
import {
  codeFailures,
  conflict,
  createRouter,
  one,
  Ownership,
  params,
  refused,
} from "../openapi.ts";
import { registryImportRoutes } from "../registry-import-routes.ts";
import { type RegistryCaller, registryRoutes } from "../registry-routes.ts";
import { CodeFields, codeIn, ComponentBody, License, presentComponent } from "./components.ts";

const publish = createRoute({
  operationId: "publishComponent",
  method: "post",
  path: "/registry",
  description: "Publishes to the registry of the caller, or of the named workspace.",
  request: { body: params(z.object({ ...CodeFields, license: License, ...Ownership })) },
  responses: one(ComponentBody, { ...codeFailures, ...conflict, ...refused }),
});

/** Publishes for the workspace in the request, else for the user. */
export function registryCaller({ var: { context } }: HonoContext<AppEnv>): RegistryCaller {
  const user = context.actor.id;
  const owner = context.workspace ?? user;
  return { ctx: context, author: { owner, user }, reader: { user, first: owner } };
}

export const published = createRouter().openapi(publish, async (c) => {
  const { license, ...given } = c.req.valid("json");
  const { ctx, author } = registryCaller(c);
  const code = { ...codeIn(given), license: license ?? undefined };
  const component = await publishComponent(ctx, author, code);
  return c.json({ data: presentComponent(component) }, 200);
});

export const publishedVersions = registryRoutes(registryCaller);
export const ownImports = registryImportRoutes(registryCaller);

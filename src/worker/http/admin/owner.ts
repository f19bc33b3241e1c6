import { z } from "@hono/zod-openapi";

import { isId, type OwnerId } from "#domain/ids.ts";

/** Who is to own something: a user or a workspace. */
export const Owner = z
  .custom<OwnerId>(
    (id) => typeof id === "string" && (isId("user", id) || isId("workspace", id)),
    "must be the id of a user or a workspace",
  )
  .openapi({ type: "string", example: "u_5d0" });

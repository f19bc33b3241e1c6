import { z } from "@hono/zod-openapi";

import { isPayer, type PayerId } from "#domain/ids.ts";

/** The owner of a new resource: a user or a workspace. */
export const Owner = z
  .custom<PayerId>(
    (id) => typeof id === "string" && isPayer(id),
    "must be the id of a user or a workspace",
  )
  .openapi({ type: "string", example: "u_5d0" });

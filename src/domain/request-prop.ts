import { z } from "zod";

import { hasHost } from "./address.ts";
import type { Json } from "./json.ts";

const pairs = (field: string) => {
  const message = `its ${field} must be a list of {name, value}`;
  const Scalar = z.union([z.string(), z.number(), z.boolean()], message);
  const Pair = z.looseObject({ name: z.string(message), value: Scalar.nullish() }, message);
  return z.array(Pair, message).nullish();
};

const needed = (field: string) =>
  z.string(`its auth.${field} is required`).min(1, `its auth.${field} is required`);

const Authentication = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("none").optional() }),
    z.object({ type: z.literal("basic"), username: needed("username") }),
    z.object({ type: z.literal("bearer"), token: needed("token") }),
  ],
  "its auth.type must be none, basic or bearer",
);

const RequestValue = z.object(
  {
    method: z
      .string()
      .regex(/^[A-Z]+$/i, "its method must be an HTTP method, such as GET")
      .nullish(),
    url: z
      .url({ protocol: /^https?$/, hostname: /./, error: "its url must be an http or https URL" })
      .refine(hasHost, "its url must have a host"),
    auth: Authentication.nullish(),
    headers: pairs("headers"),
    params: pairs("params"),
  },
  'must be an object like {"method": "GET", "url": "https://…"}',
);

/**
 * The rule that the value of an `http_request` prop violates, if any: `{method, url, auth, headers, params, body}`,
 * where only the URL is required.
 */
export function problemOfRequest(value: Json): string | undefined {
  return RequestValue.safeParse(value).error?.issues[0]?.message;
}

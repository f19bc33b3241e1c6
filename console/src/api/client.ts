import { createClient, errorOf } from "@wellspring/client";
import createFetchClient, { type Client as FetchClient } from "openapi-fetch";

import type { paths as AdminPaths } from "./admin.generated.ts";
import type { paths as ConnectPaths } from "./connect.generated.ts";
import { sessionFetch } from "./session.ts";

/** The v1 API, as the signed-in user. */
export const api = createClient({ baseUrl: location.origin, fetch: sessionFetch });

/** The Connect API, as the signed-in user. Calls resolve with `data`, or reject with a `WellspringError`. */
export const connectApi = typed<ConnectPaths>("/v1/connect");

/** The operators' API, for operators' sessions. Calls resolve with `data`, or reject with a `WellspringError`. */
export const adminApi = typed<AdminPaths>("/admin");

function typed<Paths extends object>(base: string): FetchClient<Paths> {
  const client = createFetchClient<Paths>({
    baseUrl: `${location.origin}${base}`,
    fetch: sessionFetch,
  });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await errorOf(response);
    },
  });
  return client;
}

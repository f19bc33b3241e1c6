import { TOKEN_LENGTH } from "../domain/ids.ts";

/** Endpoint keys begin with the token of their source's id, so an event finds its source without a look-up. */
const ENDPOINT = new RegExp(
  `^/e/([0-9A-Za-z]{${TOKEN_LENGTH}})[0-9A-Za-z]{${TOKEN_LENGTH}}(?:/|$)`,
);

/** Hand a request to an endpoint (`/e/{key}/…`) to the source it belongs to; undefined when it is for no endpoint. */
export function ingress(request: Request, env: Env): Promise<Response> | undefined {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith("/e/")) return undefined;
  const [, token] = ENDPOINT.exec(pathname) ?? [];
  if (token) return env.SOURCES.getByName(`dc_${token}`).fetch(request);
  return Promise.resolve(
    Response.json(
      { error: "No active source has this endpoint", code: "not_found" },
      { status: 404, headers: { "x-request-id": crypto.randomUUID() } },
    ),
  );
}

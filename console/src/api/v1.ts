import { request } from "./request.ts";

type Init = {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
};

/** A call of the v1 API beyond the client's types. Rejects with a `WellspringError`. */
export function v1<Body>(path: string, { method = "GET", ...init }: Init = {}): Promise<Body> {
  return request<Body>(method, `/v1${path}`, init);
}

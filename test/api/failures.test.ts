// @suites loader

import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { app } from "#worker/http/app.ts";

import { clientOf, operator, request, signUp } from "../support/client.ts";
import { adminOperations, type Described, v1Operations } from "../support/operations.ts";

const failure = { error: expect.any(String), code: expect.any(String) };
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH"];

const planes = [
  ["/v1", v1Operations],
  ["/admin", adminOperations],
] as const;

const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, "none");

async function tokenOf(base: string): Promise<string> {
  return base === "/admin" ? "operator" : (await signUp()).user.api_key;
}

test.for(planes)(
  "%s: an unsupported method is 405, and the response lists the supported ones",
  async ([base, operations]) => {
    const client = clientOf(await tokenOf(base), base);
    const paths = new Set(operations.map(({ path }) => path));
    for (const path of paths) {
      const taken = operations.filter((one) => one.path === path).map(({ method }) => method);
      const wrong = METHODS.filter((method) => !matching(operations, path).includes(method));
      expect(wrong).toContain("PATCH");
      for (const method of wrong) {
        const answer = await client.as(method)(concrete(path));
        expect([method, path, answer.status, answer.body.code]).toEqual([
          method,
          path,
          405,
          "method_not_allowed",
        ]);
        expect(answer.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(taken));
        expect(answer.headers.get("x-request-id")).toBeTruthy();
      }
    }
  },
);

/** Methods of every template that matches the concrete path, too. */
function matching(operations: readonly Described[], path: string): string[] {
  const made = concrete(path);
  return operations
    .filter((one) =>
      new RegExp(`^${one.path.replaceAll("$", "\\$").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(made),
    )
    .map(({ method }) => method);
}

test.for(planes)(
  "%s: every operation that accepts JSON rejects an invalid JSON body",
  async ([base, operations]) => {
    const client = clientOf(await tokenOf(base), base);
    const taking = operations.filter(
      ({ operation }) => operation.requestBody?.content["application/json"],
    );
    expect(taking.length).toBeGreaterThan(3);
    for (const { method, path } of taking) {
      const send = client.as(method);
      const json = { "content-type": "application/json" };
      for (const [body, headers, status, code] of [
        ["{", json, 400, "invalid_input"],
        ["[]", json, 400, "invalid_input"],
        ["\u0000", json, 400, "invalid_input"],
        [
          "a=b",
          { "content-type": "application/x-www-form-urlencoded" },
          415,
          "unsupported_media_type",
        ],
        ["{}", { "content-type": "" }, 415, "unsupported_media_type"],
      ] as const) {
        const answer = await send(concrete(path), body, headers);
        expect([method, path, body, answer.status, answer.body]).toEqual([
          method,
          path,
          body,
          status,
          { ...failure, code },
        ]);
        expect(answer.headers.get("x-request-id")).toBeTruthy();
      }
    }
  },
);

test("paths without a route are 404 on every plane, with the request's id", async () => {
  const ada = await signUp();
  for (const answer of [
    await ada.get("/nowhere"),
    await ada.post("/sources/dc_1/nowhere", {}),
    await ada.get("/%"),
    await ada.get("/sources/%E0%A4%A"),
    await operator.get("/nowhere"),
    await request("GET", "/nowhere"),
    await request("GET", "/e/unknown"),
    await request("POST", `/e/${"a".repeat(44)}`),
  ]) {
    const id = answer.headers.get("x-request-id");
    expect([answer.status, answer.body, id]).toEqual([
      404,
      { ...failure, code: "not_found" },
      expect.any(String),
    ]);
  }
});

test("an internal error is 500 with the request's id and without details", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const { user } = await signUp();
  // A database without tables is the real binding, broken.
  const broken = { ...env, DB: { prepare: () => ({}) } } as unknown as Env;
  const headers = { authorization: `Bearer ${user.api_key}` };
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as never;
  const response = await app.fetch(
    new Request("http://wellspring.test/v1/users/me", { headers }),
    broken,
    context,
  );
  expect([response.status, await response.json()]).toEqual([
    500,
    {
      error: "Something went wrong on our side",
      code: "internal",
      details: { request_id: response.headers.get("x-request-id") },
    },
  ]);
  expect(log).toHaveBeenCalled();
});

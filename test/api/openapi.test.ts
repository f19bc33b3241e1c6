// @suites loader

import { expect, test } from "vitest";

import { clientOf, operator, request, signUp } from "../support/client.ts";
import {
  adminOperations,
  connectOperations,
  type Described,
  v1Operations,
} from "../support/operations.ts";

const v1 = v1Operations;
const admin = adminOperations;
const name = ({ method, path }: Described) => `${method} ${path}`;

/** A path with well-formed ids that belong to nobody. */
function strange(path: string): string {
  const own = path.startsWith("/users/") || path.startsWith("/api_keys/");
  const ids: Record<string, string> = {
    components: "sc",
    sources: "dc",
    workspaces: "o",
    orgs: "o",
    webhooks: "wh",
    data_stores: "ds",
    workflows: "p",
    accounts: "apn",
    registry: "ri",
    sessions: "ses",
    projects: "proj",
  };
  const prefix = own ? (path.startsWith("/users/") ? "u" : "key") : ids[path.split("/")[1] ?? ""];
  return path
    .replace("{id}", `${prefix}_stranger`)
    .replace("{key}", "stranger")
    .replace("{app}", "stranger")
    .replace("{slug}", "stranger")
    .replace("{run}", "stranger")
    .replace("{version}", /^\/(?:workflows|sources)\//.test(path) ? "1" : "1.0.0")
    .replace("{event_id}", "1700000000000-0")
    .replace(/^\/workflows.*diff$/, "$&?from=1&to=2")
    .replace(/diff$/, "diff?from=1.0.0&to=1.1.0")
    .replace("{delivery_id}", "dlv_stranger")
    .replace("{user_id}", "u_stranger");
}

const namesSomething = ({ path }: Described) => path.includes("{");

const paramsFor = (method: string) =>
  method === "PUT" || method === "POST"
    ? {
        from_ms: 0,
        value: 0,
        prop_name: "x",
        account_id: "apn_stranger",
        event_name: "x",
        event: 0,
        deprecated: null,
      }
    : undefined;

// It rejects unknown fields before it looks up the user.
const isStrict = ({ operationId }: Described["operation"]) => operationId === "updateUser";

const failure = { error: expect.any(String), code: expect.any(String) };

test("every operation has a unique id, a success response and the shared failures", () => {
  for (const operations of [v1, admin]) {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(["400", "401", "404", "429", "500"]));
      expect(statuses.filter((status) => status.startsWith("2"))).toHaveLength(1);
    }
  }
});

test("no operation has a parameter twice", () => {
  for (const { method, path, operation } of [...v1, ...connectOperations, ...admin]) {
    const keys = (operation.parameters ?? []).map(
      ({ in: place = "query", name: parameter, $ref: ref = "" }) =>
        `${place} ${parameter ?? ref.replace("#/components/parameters/", "")}`,
    );
    expect([method, path, keys]).toEqual([method, path, [...new Set(keys)]]);
  }
});

test("schemas define the properties that they require", () => {
  const undefinedIn = (schema: unknown): string[] => {
    if (typeof schema !== "object" || schema === null) return [];
    const { required, properties } = schema as { required?: unknown; properties?: object };
    const names = Array.isArray(required) && properties !== undefined ? required : [];
    const lacking = Array.isArray(required) && properties === undefined ? required : [];
    return [
      ...lacking,
      ...names.filter((one) => !Object.hasOwn(properties ?? {}, one)),
      ...Object.values(schema).flatMap((one) => undefinedIn(one)),
    ];
  };
  for (const { operation } of [...v1, ...connectOperations, ...admin])
    expect([operation.operationId, undefinedIn(operation)]).toEqual([operation.operationId, []]);
});

test("the OpenAPI document has the rate limit headers in every response to a key", () => {
  const namesOf = ({ headers }: { headers?: object }) => Object.keys(headers ?? {});
  const rate = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
  const answers = v1.flatMap(({ operation }) => Object.entries(operation.responses));
  const counted = answers.filter(([status]) => !["401", "414", "431"].includes(status));
  for (const [status, response] of counted)
    expect(namesOf(response)).toEqual([
      "X-Request-Id",
      ...rate,
      ...(status === "429" ? ["Retry-After"] : []),
    ]);
  for (const { operation } of admin)
    for (const response of Object.values(operation.responses))
      expect(namesOf(response)).toEqual(["X-Request-Id"]);
});

test.for([
  ...v1.map((described) => ["/v1", described] as const),
  ...admin.map((described) => ["/admin", described] as const),
])("%s %o requires a key", async ([base, { method, path }]) => {
  expect(await request(method, base + strange(path))).toMatchObject({
    status: 401,
    body: failure,
  });
});

test("every operation with an id is 404 for another owner's id", async () => {
  const eve = await signUp();
  for (const { method, path } of v1.filter(namesSomething)) {
    const answer = await eve.as(method)(strange(path), paramsFor(method));
    expect([method, path, answer.status, answer.body]).toEqual([
      method,
      path,
      404,
      { ...failure, code: "not_found" },
    ]);
  }
  // An app is identified by its slug alone: PUT creates a missing one.
  const ofOperator = admin.filter((one) => namesSomething(one) && name(one) !== "PUT /apps/{slug}");
  for (const { method, path, operation } of ofOperator)
    expect(
      await operator.as(method)(strange(path), isStrict(operation) ? {} : paramsFor(method)),
    ).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
});

test("every operation with required parameters rejects a request without them", async () => {
  const [{ user }, optional] = [
    await signUp(),
    [
      "updateSource",
      "putApp",
      "issueApiKey",
      "updateWebhook",
      "updateWorkflow",
      "updateAccount",
      "updateOwnAccount",
      "updateOwnWorkflow",
      "rotateWebhookSecret",
      "reloadProps",
      "importComponents",
      "runSource",
      "createOwnApiKey",
      "resumeRun",
      "runWorkflow",
      "rerunWorkflow",
      "updateUser",
      "uploadImportArchive",
      "setUserQuotas",
      "setWorkspaceQuotas",
      "setProjectAgentQuotas",
    ],
  ];
  const bases = [
    ["/v1", user.api_key, v1],
    ["/admin", "operator", admin],
  ] as const;
  for (const [base, token, operations] of bases)
    for (const { method, path, operation } of operations) {
      if (!operation.requestBody || optional.includes(operation.operationId ?? "")) continue;
      expect(await clientOf(token, base).as(method)(strange(path), {})).toMatchObject({
        status: 400,
        body: { ...failure, details: { issues: expect.any(Array) } },
      });
    }
});

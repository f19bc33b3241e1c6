import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { openContext } from "#worker/bindings.ts";

import { oneModule } from "../support/deploy.ts";

test("an isolate that only evaluates is let go", async () => {
  const { evaluator } = openContext(env);
  const bundle = oneModule(
    crypto.randomUUID(),
    `let evaluated = 0; export default { get name() { return "read " + ++evaluated; }, run() {} };`,
  );
  const owner = newId("user");
  const [first, second] = [
    await evaluator(owner, "paid", bundle).describe(),
    await evaluator(owner, "paid", bundle).describe(),
  ];
  expect(first).toMatchObject({ ok: true });
  // One isolate for both would count on.
  expect(second).toEqual(first);
});

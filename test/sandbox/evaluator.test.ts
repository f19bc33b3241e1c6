import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { openContext } from "#worker/bindings.ts";

import { signUp } from "../support/client.ts";
import { oneModule } from "../support/deploy.ts";

test("an isolate that only evaluates is not reused", async () => {
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
  // A shared isolate would continue to count.
  expect(second).toEqual(first);
});

test("a source runs in the isolate that evaluated its code, unless it runs as a script", async () => {
  const ada = await signUp();
  const component_code = `const isolate = Math.random();
    export default { name: "Isolated", version: "1", sampleEmit: { isolate }, props: { word: "string" },
      run() { this.$emit({ isolate }); } };`;
  const { body } = await ada.post("/sources", {
    component_code,
    configured_props: { word: "one" },
  });
  const component = await ada.get(`/components/${body.data.component_id}`);
  const ran = await ada.post(`/sources/${body.data.id}/run`, { wait: 10 });
  const isSame = ran.body.data.events[0].event.isolate === component.body.data.sample_emit.isolate;
  expect(isSame).toBe(env.USER_CODE !== "dispatch");
});

test("a definition is never read from an isolate that has run its component", async () => {
  const ada = await signUp();
  const source = {
    component_code: `const component = { name: "Original", version: "1", props: { word: "string" },
      run() { component.name = "Changed"; } };
      export default component;`,
    configured_props: { word: "one" },
  };
  const { body } = await ada.post("/sources", source);
  await ada.post(`/sources/${body.data.id}/run`, { wait: 10 });
  const again = await ada.post("/sources", source);
  const component = await ada.get(`/components/${again.body.data.component_id}`);
  expect(component.body.data.name).toBe("Original");
});

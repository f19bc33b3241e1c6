import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";

const EVAL = "Code generation from strings disallowed for this context";

test.for([
  ["its own", "", `new Function("return 1")();`, "The code"],
  [
    "of a package",
    `import template from "lodash.template@4.5.0";`,
    `template("<%= 1 %>")();`,
    `The package "lodash.template"`,
  ],
])(
  "the error of a run that compiles code from text names the cause: %s",
  async ([, imports, statement, who]) => {
    const ada = await signUp();
    const component_code = `${imports}
export default {
  name: "Compiles", version: "0.0.1", props: { http: "$.interface.http" },
  run() { ${statement} },
};`;
    const source = await ada.post("/sources", { component_code });
    expect(source.status).toBe(200);
    const run = await ada.post(`/sources/${source.body.data.id}/run`, { event: {}, wait: 20 });
    const [error] = run.body.data.errors;
    expect(error.message).toBe(
      `${who} compiles code from text (eval, new Function), which cannot be done here (${EVAL})`,
    );
    expect(error.stack).toContain("component.js:4:");
  },
);

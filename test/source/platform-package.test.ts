import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { newReceiver } from "../support/webhook.ts";
import { deployWorkflow, runOnce } from "../support/workflow.ts";

const IMPORTS = `import {
  axios, ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL, getFileStreamAndMetadata, sqlProp,
} from "@pipedream/platform";`;

/** Run a source once with this body of `run`. */
async function ran(body: string) {
  const ada = await signUp();
  const component_code = `${IMPORTS}
    export default { name: "Platform", version: "1", async run() { ${body} } };`;
  const { data } = (await ada.post("/sources", { component_code })).body;
  return (await ada.post(`/sources/${data.id}/run`, { wait: 30 })).body.data;
}

const JSON_ANSWER = { headers: { "content-type": "application/json" }, body: `{"items":[1]}` };

test("axios(this, config) returns the data to a source, and logs the exports of debug", async () => {
  const { url, received } = await newReceiver({ status: 200, ...JSON_ANSWER });
  const { events, logs, errors } = await ran(
    `this.$emit(await axios(this, { method: "POST", url: "${url}", data: { a: 1, none: undefined }, debug: true }));`,
  );
  expect(errors).toEqual([]);
  expect(events).toMatchObject([{ event: { items: [1] } }]);
  expect(await received()).toMatchObject([{ body: `{"a":1}` }]);
  const debug = logs.map(({ message }: { message: string }) => message).join("\n");
  expect(debug).toContain("export: debug_config");
  expect(debug).toContain("export: debug_response");
});

test("a failed response is thrown, and recorded with its body", async () => {
  const { url } = await newReceiver({ status: 422, ...JSON_ANSWER });
  const { state, errors } = await ran(`await axios(this, { method: "POST", url: "${url}" });`);
  expect(state).toBe("failed");
  expect(errors).toMatchObject([
    { code: expect.stringContaining("status code 422"), message: `{"items":[1]}` },
  ]);
});

test("axios($, config) of an action exports debug, for a response and for a failure", async () => {
  const [good, bad] = [
    await newReceiver({ status: 200, ...JSON_ANSWER }),
    await newReceiver({ status: 404, ...JSON_ANSWER }),
  ];
  const flow = await deployWorkflow({
    steps: [
      {
        name: "asking",
        component_code: `${IMPORTS}
          export default { async run({ $ }) {
            await axios($, { method: "POST", url: "${good.url}", debug: true });
            try { await axios($, { method: "POST", url: "${bad.url}" }); } catch (error) { return error.response.status; }
          } }`,
      },
    ],
  });
  const { steps } = await runOnce(flow);
  expect(steps).toMatchObject([
    {
      state: "succeeded",
      exports: {
        debug_response: { items: [1] },
        debug: { status: 404, data: { items: [1] } },
        $return_value: 404,
      },
    },
  ]);
});

test("an invalid config is a ConfigurationError by name", async () => {
  const { errors } = await ran(`
    try { await axios(this, { url: "https://example.com", body: {} }); }
    catch (error) { this.$emit(error instanceof ConfigurationError); throw error; }`);
  expect(errors).toMatchObject([
    { code: "ConfigurationError", message: "unexpected body, use only data instead" },
  ]);
});

test("a ConfigurationError of additionalProps and of options is returned with name and message", async () => {
  const ada = await signUp();
  const component_code = `${IMPORTS}
    const fail = () => { throw new ConfigurationError("Choose a board first"); };
    export default { name: "Failing", version: "1", run() {},
      props: { board: { type: "string", optional: true, reloadProps: true }, list: { type: "string", optional: true, options: fail } },
      async additionalProps() { if (this.board === "none") fail(); return {}; } };`;
  const { data } = (await ada.post("/components", { component_code })).body;
  const expected = {
    status: 422,
    body: {
      error: expect.stringContaining("Choose a board first"),
      code: "invalid_configuration",
      details: { error: { name: "ConfigurationError", message: "Choose a board first" } },
    },
  };
  const configured_props = { board: "none" };
  expect(await ada.post(`/components/${data.id}/props`, { configured_props })).toMatchObject(
    expected,
  );
  expect(await ada.post(`/components/${data.id}/options`, { prop_name: "list" })).toMatchObject(
    expected,
  );
  expect(await ada.post("/sources", { component_id: data.id, configured_props })).toMatchObject(
    expected,
  );
});

test("its other exports work: a default for timers, an sql prop, and file streams", async () => {
  const ada = await signUp();
  const component_code = `${IMPORTS}
    import fs from "fs";
    const app = { type: "app", app: "postgresql", propDefinitions: {}, methods: { ...sqlProp.methods } };
    export default { name: "Others", version: "1",
      props: { app, timer: { type: "$.interface.timer", default: { intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } } },
      async run() {
        fs.writeFileSync("/tmp/a.txt", "four");
        const { stream, metadata } = await getFileStreamAndMetadata("/tmp/a.txt");
        let text = "";
        for await (const chunk of stream) text += chunk;
        this.$emit([text, metadata.size, metadata.name]);
      } };`;
  const { data } = (await ada.post("/sources", { component_code })).body;
  expect(data.configured_props.timer).toEqual({ cron: null, interval_seconds: 900 });
  const { events, errors } = (await ada.post(`/sources/${data.id}/run`, { wait: 30 })).body.data;
  expect(errors).toEqual([]);
  expect(events).toMatchObject([{ event: ["four", 4, "a.txt"] }]);
});

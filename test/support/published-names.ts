import { mapAtMost } from "#domain/concurrency.ts";

import { operator } from "./client.ts";
import { REAL_NAMES } from "./real-names.ts";

/** Publish components with the realistic names, which do nothing. */
export async function publishRealNames(): Promise<void> {
  await mapAtMost(8, REAL_NAMES, async ({ key, ...shown }) => {
    const [app = ""] = key.split("-");
    const component = { key, version: "0.0.1", props: { app: { type: "app", app } }, ...shown };
    const component_code = `export default { ...${JSON.stringify(component)}, run() {} }`;
    const { status } = await operator.post("/registry", { component_code });
    // Other tests publish the same ones.
    if (status !== 200 && status !== 409) throw new Error(`${key} was not published: ${status}`);
  });
}

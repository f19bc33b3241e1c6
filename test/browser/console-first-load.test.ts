import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { measureFirstLoad } from "../../tools/browser/first-load.ts";
import { deploy } from "../../tools/scripts/api.ts";
import { useStage, visit } from "../support/browser.ts";

const FIRST_LOAD_BYTES = 250 * 1024;

/** Less would mean that the files were not counted. */
const MIN_BYTES = 100 * 1024;

const SOURCE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" }, run() {} };`;

const stage = useStage();

test.for([
  { title: "Sign in", path: "/sign-in", isSignedIn: false },
  { title: "Home", path: "/", isSignedIn: true },
  { title: "Sources", path: "/sources", isSignedIn: true },
])("$title loads at most 250 KB with an empty cache", async ({ title, path, isSignedIn }) => {
  const person = await newPerson(stage());
  await deploy(person, SOURCE);
  const { page } = await visit(stage(), isSignedIn ? { api_key: person.apiKey } : undefined);
  const shown = () =>
    title === "Sources"
      ? page.getByRole("link", { name: "Orders" }).waitFor()
      : page.getByRole("heading", { name: title, level: 1 }).waitFor();
  const { bytes } = await measureFirstLoad(page, path, shown);
  expect(bytes).toBeGreaterThan(MIN_BYTES);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
});

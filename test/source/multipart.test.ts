import { expect, test } from "vitest";

import { deploy, eventsOf, send } from "../support/deploy.ts";

const ECHO = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event) } }`;

async function lastEvent(source: Awaited<ReturnType<typeof deploy>>) {
  return (await eventsOf(source.stub))[0]?.event;
}

test("a multipart file arrives as its name, type and a data URL", async () => {
  const source = await deploy(ECHO);
  const form = new FormData();
  form.append("note", "hello");
  form.append("file", new File(["content"], "a.txt", { type: "text/plain" }));
  await send(source.url, { body: form });
  expect(await lastEvent(source)).toMatchObject({
    body: {
      note: "hello",
      file: {
        filename: "a.txt",
        mimetype: "text/plain",
        url: `data:text/plain;base64,${btoa("content")}`,
      },
    },
  });
});

test("fields and files with the same name arrive as a list", async () => {
  const source = await deploy(ECHO);
  const form = new FormData();
  for (const tag of ["a", "b"]) form.append("tag", tag);
  for (const name of ["a.txt", "b.txt"]) form.append("files", new File([name], name));
  form.append("one", "1");
  await send(source.url, { body: form });
  const file = (filename: string) => ({
    filename,
    mimetype: "application/octet-stream",
    url: `data:application/octet-stream;base64,${btoa(filename)}`,
  });
  expect(await lastEvent(source)).toMatchObject({
    body: { tag: ["a", "b"], files: [file("a.txt"), file("b.txt")], one: "1" },
  });
});

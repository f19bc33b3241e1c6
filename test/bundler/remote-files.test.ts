// @suites release

import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import type { Bundled } from "#bundler/contract.ts";
import { fetchFiles } from "#bundler/remote-files.ts";
import { rawUrl } from "#bundler/remote-urls.ts";

import { evaluate, resolverDeps } from "./evaluate.ts";

async function bundleAt(path: string): Promise<Bundled> {
  const fetched = await fetchFiles(inject("fileServer") + path, {
    client: "test",
    allowPrivate: true,
  });
  return fetched.ok ? await bundle(fetched.files, resolverDeps) : fetched;
}

test.for([
  ["/a/component.mjs", ["rss", true, 42, "json", "index"]],
  ["/hops/2/component.mjs", ["rss", true, 42, "json", "index"]],
  ["/a/circular.mjs", "c"],
] as const)("imports a component at %s with its files", async ([path, value]) => {
  const made = await bundleAt(path);
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  expect(await evaluate(made.bundle)).toEqual({ value });
});

test.for([
  [
    "/a/missing.mjs",
    { file: "a/deep/two.mjs", line: 2, column: 19 },
    /".\/gone.mjs", which "a\/deep\/two.mjs"/,
  ],
  ["/a/wrong.mjs", { file: "a/deep/syntax.mjs", line: 2, column: 5 }, /Unexpected/],
  [
    "/a/breaking.mjs",
    { file: "a/breaking.mjs" },
    /broken\/x.mjs responded with 500, which "a\/breaking.mjs"/,
  ],
  ["/nowhere.mjs", {}, /There is no file at/],
  ["/huge/component.mjs", {}, /larger than 1048576 bytes/],
  ["/hops/6/component.mjs", {}, /redirects more than 5 times/],
] as const)("rejects %s with the place and the reason", async ([path, place, text]) => {
  const made = await bundleAt(path);
  expect(made).toMatchObject({ ok: false, issues: [place] });
  expect(made.ok || made.issues[0]?.text).toMatch(text);
});

test("rejects private addresses if they are not allowed, even after a redirect", async () => {
  const fetched = await fetchFiles(`${inject("fileServer")}/a/component.mjs`, {
    client: "test",
    allowPrivate: false,
  });
  expect(fetched).toMatchObject({
    ok: false,
    issues: [{ text: expect.stringMatching(/refused/) as string }],
  });
  expect(
    await fetchFiles("file:///etc/passwd", { client: "test", allowPrivate: true }),
  ).toMatchObject({ ok: false });
  expect(await fetchFiles("not a url", { client: "test", allowPrivate: true })).toMatchObject({
    ok: false,
  });
});

test.for([
  [
    "https://github.com/acme/things/blob/main/sources/a/a.mjs",
    "https://raw.githubusercontent.com/acme/things/main/sources/a/a.mjs",
  ],
  [
    "https://github.com/acme/things/raw/v1/a.mjs",
    "https://raw.githubusercontent.com/acme/things/v1/a.mjs",
  ],
  [
    "https://raw.githubusercontent.com/acme/things/main/a.mjs?token=x",
    "https://raw.githubusercontent.com/acme/things/main/a.mjs?token=x",
  ],
  ["https://gist.github.com/acme/0123abcd", "https://gist.githubusercontent.com/acme/0123abcd/raw"],
  [
    "https://gist.github.com/acme/0123abcd/raw/77/a.mjs",
    "https://gist.githubusercontent.com/acme/0123abcd/raw/77/a.mjs",
  ],
  ["https://example.com/a.mjs", "https://example.com/a.mjs"],
] as const)("the raw URL of %s is %s", ([shown, raw]) => {
  expect(rawUrl(new URL(shown)).href).toBe(raw);
});

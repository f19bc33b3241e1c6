import { createHash, createHmac } from "node:crypto";

import { content, json, type Reply, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** A file behind a redirect to a signed URL, with every byte value. */
async function download(stage: Stage): Promise<void> {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  stage.serve(
    routes({
      "GET files.example/v1/files/:id/content": ({ headers }) =>
        headers["authorization"] === "Bearer key-1"
          ? { status: 302, headers: { location: "https://cdn.example/signed/7?sig=abc" } }
          : json({}, 401),
      "GET cdn.example/signed/7": ({ url, headers }): Reply => {
        // A signed URL rejects credentials for another host.
        if (url.searchParams.get("sig") !== "abc" || headers["authorization"])
          return { status: 403 };
        const reply = content("application/octet-stream", bytes);
        const disposition = `attachment; filename="bytes.bin"`;
        return { ...reply, headers: { ...reply.headers, "content-disposition": disposition } };
      },
    }),
  );
  const hash = createHash("sha256").update(bytes).digest("hex");
  const expected = { path: "/tmp/bytes.bin", size: bytes.length, sha256: hash };
  stage.equal("the file", await stage.act({ fileId: "7" }), expected);
}

/** A form with fields and a file, as `multipart/form-data`. */
async function upload(stage: Stage): Promise<void> {
  stage.serve(
    routes({
      "POST uploads.example/files": ({ headers, body }) => {
        const [, boundary] =
          /^multipart\/form-data; ?boundary=(.+)$/.exec(headers["content-type"] ?? "") ?? [];
        if (!boundary) return json({ error: "no multipart" }, 415);
        const length = Number(headers["content-length"] ?? Buffer.byteLength(body));
        if (length !== Buffer.byteLength(body)) return json({ error: "length" }, 400);
        const parts = body.split(`--${boundary}`).slice(1, -1);
        const names = parts.map((part) => /name="([^"]+)"/.exec(part)?.[1]);
        const file = parts
          .find((part) => part.includes("filename="))
          ?.split("\r\n\r\n")[1]
          ?.trimEnd();
        return json({ names, file }, 201);
      },
    }),
  );
  const expected = { names: ["title", "file"], file: "a,b\r\n1,2" };
  stage.equal("the form", await stage.act({ title: "Table" }), expected);
}

/** S3: the list of a bucket in two pages, each request signed (Signature Version 4). */
async function s3(stage: Stage): Promise<void> {
  const keys = ["a b.txt", "ä.txt", "c.txt"];
  const page = (from: number): string => {
    const next = from + 2;
    const contents = keys
      .slice(from, next)
      .map(
        (key) => `<Contents><Key>${key}</Key><Size>3</Size><ETag>&quot;e&quot;</ETag></Contents>`,
      );
    const rest =
      next < keys.length
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}=/+</NextContinuationToken>`
        : "<IsTruncated>false</IsTruncated>";
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${rest}${contents.join("")}</ListBucketResult>`;
  };
  stage.serve(
    routes({
      "GET bucket-1.s3.eu-west-1.amazonaws.com/": ({ url, headers }) => {
        const problem = signatureProblem(url, headers, "aws-secret-1");
        if (problem)
          return content("application/xml", `<Error><Code>${problem}</Code></Error>`, 403);
        return content(
          "application/xml",
          page(Number.parseInt(url.searchParams.get("continuation-token") ?? "0")),
        );
      },
    }),
  );
  await stage.deploy({ bucket: "bucket-1" });
  await stage.tick();
  const found = await stage.emitted<{ key: string }>(3);
  stage.equal("the keys", found.map(({ key }) => key).toSorted(), keys.toSorted());
  keys.push("d.txt");
  await stage.tick();
  const all = await stage.emitted<{ key: string }>(4);
  stage.equal("the new key", all.at(-1)?.key, "d.txt");
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The error in a signature of version 4; undefined if it is valid. */
function signatureProblem(
  url: URL,
  headers: Record<string, string>,
  secret: string,
): string | undefined {
  const [, scope = "", names = "", given] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers["authorization"] ?? "",
    ) ?? [];
  if (!given) return "MissingAuthentication";
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const signed = names
    .split(";")
    .map((name) => `${name}:${name === "host" ? url.host : headers[name]}\n`);
  const canonical = [
    "GET",
    url.pathname,
    query.toSorted().join("&"),
    signed.join(""),
    names,
    headers["x-amz-content-sha256"],
  ];
  const text = [
    "AWS4-HMAC-SHA256",
    headers["x-amz-date"],
    scope,
    sha256(canonical.join("\n")),
  ].join("\n");
  const key = scope
    .split("/")
    .reduce(
      (last: string | Buffer, part) => createHmac("sha256", last).update(part).digest(),
      `AWS4${secret}`,
    );
  return createHmac("sha256", key).update(text).digest("hex") === given
    ? undefined
    : "SignatureDoesNotMatch";
}

export const FILES: Scenario[] = [
  {
    protocol: "file download",
    component: "components/files/actions/download-file/download-file.mjs",
    credentials: { api_key: "key-1" },
    play: download,
  },
  {
    protocol: "multipart upload",
    component: "components/files/actions/upload-file/upload-file.mjs",
    credentials: { api_key: "key-1" },
    play: upload,
  },
  {
    protocol: "S3 list",
    component: "components/s3_like/sources/new-object/new-object.mjs",
    credentials: { accessKeyId: "AKIA1", secretAccessKey: "aws-secret-1" },
    play: s3,
  },
];

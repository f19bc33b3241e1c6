import { AwsClient } from "aws4fetch";
import { z } from "zod";

import { isJsonObject, type Json } from "#domain/json.ts";

import type { SideEffect } from "./user-code.ts";

/** Maximum time of the receiver of a request, and of an upload. */
const REQUEST_TIMEOUT_MS = 5000;
const UPLOAD_TIMEOUT_MS = 60_000;

/** An outgoing message, ready to send. The same id is the same message. */
export type OutboundMessage = { id: string; budget?: number } & (OutboundRequest | OutboundMail);

export type OutboundRequest = {
  kind: "http";
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  isBase64: boolean;
  timeoutMs: number;
};

type OutboundMail = {
  kind: "email";
  to: string | null;
  subject: string;
  text: string | null;
  html: string | null;
};

const Text = z.string().nullish();

/** Not a record of zod, which omits `__proto__`. */
const Fields = z.custom<Record<string, Json>>(isJsonObject, "must be an object");

const Http = z.object({
  url: z.url({ protocol: /^https?$/ }),
  method: z
    .string()
    .regex(/^[A-Za-z]+$/)
    .default("POST"),
  headers: Fields.nullish(),
  params: Fields.nullish(),
  data: z.unknown().optional(),
  body: z.unknown().optional(),
});

const Email = z.object({ to: Text, subject: z.string(), text: Text, html: Text });

const S3 = z.object({
  bucket: z.string().min(1),
  prefix: z.string().default(""),
  key: Text,
  payload: z.unknown().optional(),
  base64: z.boolean().default(false),
  contentType: Text,
  endpoint: z.url({ protocol: /^https?$/ }).nullish(),
  region: z.string().default("us-east-1"),
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: Text,
});

/**
 * Prepare the messages of a step. `id` names it permanently. An upload is signed here, so that the signing key is not
 * stored. Throws a ZodError if a field is missing.
 */
export async function messageOf(
  { kind, message }: SideEffect,
  id: string,
): Promise<OutboundMessage> {
  const given: unknown = JSON.parse(message);
  if (kind === "http") return httpMessage(Http.parse(given), id);
  if (kind === "s3") return uploadMessage(S3.parse(given), id);
  const { to = null, subject, text = null, html = null } = Email.parse(given);
  return { kind: "email", id, to, subject, text, html };
}

function httpMessage(given: z.output<typeof Http>, id: string): OutboundMessage {
  const url = new URL(given.url);
  for (const [name, value] of Object.entries(given.params ?? {}))
    url.searchParams.append(name, textOf(value));
  const method = given.method.toUpperCase();
  const { body, type } = bodyOf(method, given.data ?? given.body ?? null);
  const headers = Object.fromEntries([
    ...(type ? [["content-type", type]] : []),
    ...Object.entries(given.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      textOf(value),
    ]),
  ]);
  const request = { method, url: url.href, headers, body, isBase64: false };
  return { kind: "http", id, ...request, timeoutMs: REQUEST_TIMEOUT_MS };
}

function bodyOf(method: string, data: unknown): { body: string | null; type?: string } {
  if (data === null || method === "GET" || method === "HEAD") return { body: null };
  return typeof data === "string" ? { body: data } : { body: textOf(data), type: JSON_TYPE };
}

const JSON_TYPE = "application/json";

async function uploadMessage(given: z.output<typeof S3>, id: string): Promise<OutboundMessage> {
  const { bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = given;
  const endpoint = given.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const key = given.key ?? `${prefix}${id}`;
  const path = [bucket, ...key.split("/")].map((part) => encodeURIComponent(part)).join("/");
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    service: "s3",
    region,
  });
  const signed = await client.sign(`${endpoint.replace(/\/$/, "")}/${path}`, {
    method: "PUT",
    aws: { signQuery: true },
  });
  const type = given.contentType ?? (typeof given.payload === "string" ? "text/plain" : undefined);
  return {
    kind: "http",
    id,
    method: "PUT",
    url: signed.url,
    headers: { "content-type": type ?? JSON_TYPE },
    body: textOf(given.payload ?? ""),
    isBase64: given.base64,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

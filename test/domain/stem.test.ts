import { expect, test } from "vitest";

import { stemOf } from "#domain/stem.ts";

test.for([
  ["invoice", "invoices", "invoiced", "invoicing"],
  ["submit", "submits", "submitted", "submitting", "submission", "submissions"],
  ["create", "creates", "created", "creating", "creation"],
  ["upload", "uploads", "uploaded", "uploading"],
  ["message", "messages", "messaging"],
  ["reply", "replies", "replied", "replying"],
  ["company", "companies"],
  ["box", "boxes"],
  ["address", "addresses"],
  ["process", "processes", "processed", "processing"],
  ["tag", "tags", "tagged", "tagging"],
  ["cancel", "cancels", "cancelled", "canceled", "cancelling"],
  ["sell", "sells", "selling", "sold"],
  ["verify", "verified", "verifies", "verification"],
  ["transcribe", "transcription"],
  ["send", "sends", "sending", "sent"],
  ["update", "updates", "updated", "updating"],
  ["movie", "movies"],
  ["photo", "photos"],
  ["form", "forms"],
  ["file", "files", "filing"],
])("%j have one stem", (forms) => {
  expect(new Set(forms.map(stemOf))).toHaveProperty("size", 1);
});

test.for([
  ["new", "news"],
  ["form", "format"],
  ["text", "test"],
  ["status", "state"],
  ["string", "stripe"],
  ["bus", "business"],
  ["feed", "fee"],
] as const)("%s and %s have different stems", ([one, other]) => {
  expect(stemOf(one)).not.toBe(stemOf(other));
});

test.for(["sms", "s3", "ids", "注文", "ñandus", "", "ing", "eing", "sss", "eeeed"])(
  "the stem of %j is empty only if the word is",
  (word) => {
    expect(stemOf(word).length > 0).toBe(word.length > 0);
  },
);

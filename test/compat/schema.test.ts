import { expect, test } from "vitest";

import { responseTo } from "../../tools/compat/responses.ts";
import { bodyFor, schemaOf } from "../../tools/compat/schema.ts";

const CODE = `
  import app from "../../some.app.mjs";
  export default {
    async run() {
      const { data: { contacts }, paging } = await this.app.listContacts({ limit: this.limit });
      for (const contact of contacts) {
        if (response.error_message) throw new Error(response.error_message);
        this.$emit(contact, { id: contact.id, ts: Date.parse(contact.profile.joined_at) });
      }
      const names = reply.result.owners.map((owner) => owner.full_name);
      this.db.set("cursor", paging.next_cursor);
    },
  };`;

test("a response has the fields that the code reads, as lists, objects and values", () => {
  const body = bodyFor(schemaOf([CODE]), { id: "1" }, false);
  expect(body).toMatchObject({
    data: { contacts: [{ id: "1", profile: { joined_at: "2025-01-02T03:04:05.000Z" } }] },
    contacts: [{ id: "1" }],
    paging: { next_cursor: null },
    result: { owners: [{ full_name: "one" }] },
  });
});

test("omits fields that are only in errors, and names of the platform", () => {
  const body = bodyFor(schemaOf([CODE]), {}, false);
  expect(body).not.toHaveProperty("error_message");
  expect(body).not.toHaveProperty("app");
  expect(body).not.toHaveProperty("db");
});

test("the lists of the last page are empty", () => {
  expect(bodyFor(schemaOf([CODE]), {}, true)).toMatchObject({ data: { contacts: [] } });
});

test("a response to a request has the fields that the code reads", () => {
  const request = { method: "GET", url: "https://a.test/v1/contacts", headers: {}, body: "" };
  const { body } = responseTo(request, "read", 0, schemaOf([CODE]));
  expect(JSON.parse(body)).toMatchObject({ data: { contacts: [{ id: 1 }] } });
});

test("ids that code reads are like those of items, except for those that are never numbers", () => {
  const code =
    "const { user } = await get(); return [user.account_id, user.tagId, user.call_sid, user.teamUuid];";
  const read = (id: unknown) => bodyFor(schemaOf([code]), { id }, false);
  expect(read(1)).toMatchObject({
    user: { account_id: 1, tagId: 1, call_sid: "1", teamUuid: "1" },
  });
  expect(read("1")).toMatchObject({ user: { account_id: "1", tagId: "1" } });
});

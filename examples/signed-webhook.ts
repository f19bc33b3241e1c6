// Registers its endpoint with a provider while it is active, and takes only requests that the provider signed. The signature is of the
// body as it was sent, `bodyRaw`: a body that was parsed and written again may differ.
import { createHmac, timingSafeEqual } from "node:crypto";

import { defineSource } from "@wellspring/component";

export default defineSource({
  key: "example-signed-webhook",
  name: "Signed webhook",
  version: "0.0.1",
  type: "source",
  description: "Emits the signed requests of a provider.",
  dedupe: "unique",
  props: {
    db: "$.service.db",
    http: { type: "$.interface.http", customResponse: true },
    hooksUrl: { type: "string", label: "Where the provider takes webhooks" },
    secret: { type: "string", label: "Signing secret", secret: true },
  },
  hooks: {
    async activate() {
      const body = JSON.stringify({ url: this.http.endpoint, secret: this.secret });
      const headers = { "content-type": "application/json" };
      const response = await fetch(this.hooksUrl, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`The provider returned ${response.status}`);
      const { id }: { id: string } = await response.json();
      this.db.set("hook", id);
    },
    async deactivate() {
      await fetch(`${this.hooksUrl}/${this.db.get("hook")}`, { method: "DELETE" });
    },
  },
  methods: {
    isSigned(bodyRaw: string, signature = ""): boolean {
      const expected = Buffer.from(createHmac("sha256", this.secret).update(bodyRaw).digest("hex"));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  },
  run({ headers, bodyRaw, body }) {
    if (!this.isSigned(bodyRaw, headers["x-signature"])) return this.http.respond({ status: 401 });
    this.http.respond({ status: 204 });
    this.$emit(body, { id: body.id, summary: body.type });
  },
});

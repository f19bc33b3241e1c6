// Responds to its caller itself: `customResponse` gives `respond()`, and the caller waits for it. It echoes the challenge of
// providers that verify an endpoint; the response to other requests is the number of the stored event.
import { defineSource } from "@wellspring/component";

export default defineSource({
  key: "example-custom-response",
  name: "Challenge",
  version: "0.0.1",
  type: "source",
  description: "Echoes challenges, and numbers other requests.",
  props: {
    db: "$.service.db",
    http: { type: "$.interface.http", customResponse: true },
  },
  run({ query, body }) {
    const challenge = query["challenge"];
    if (challenge !== undefined)
      return this.http.respond({
        status: 200,
        headers: { "content-type": "text/plain" },
        body: challenge,
      });
    const number = (this.db.get("number") ?? 0) + 1;
    this.db.set("number", number);
    this.$emit({ number, body }, { summary: `Number ${number}` });
    this.http.respond({ status: 202, body: { number } });
  },
});

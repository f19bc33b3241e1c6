// Polls an API and emits each issue once: `db` keeps the place of the last poll, so that the next requests newer issues, and
// `dedupe: "unique"` drops issues that two polls return.
import { defineSource } from "@wellspring/component";

type Issue = { id: number; title: string; updated_at: string };

export default defineSource({
  key: "example-polling",
  name: "New issues",
  version: "0.0.1",
  type: "source",
  description: "Emits each issue that an API lists.",
  dedupe: "unique",
  props: {
    db: "$.service.db",
    timer: { type: "$.interface.timer", default: { intervalSeconds: 300 } },
    url: { type: "string", label: "URL", description: "Lists issues, oldest first" },
  },
  async run() {
    const url = new URL(this.url);
    const since: string | undefined = this.db.get("since");
    if (since !== undefined) url.searchParams.set("since", since);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url.href} returned ${response.status}`);
    const issues: Issue[] = await response.json();
    for (const issue of issues) {
      const ts = Date.parse(issue.updated_at);
      this.$emit(issue, { id: issue.id, summary: issue.title, ts });
    }
    this.db.set("since", issues.at(-1)?.updated_at ?? since);
  },
});

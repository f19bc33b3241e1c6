import { setTimeout as wait } from "node:timers/promises";

import { startReceiver } from "../scripts/receiver.ts";
import { type Attack, endpoint, hold, newTenant, send } from "./world.ts";

/** Work that a component starts and that must end with its call: the code in `linger`, with its own `imports`. */
export function lingering(name: string, imports: string, linger: string): Attack {
  return {
    name: `${name} does not outlive its call`,
    async run(world) {
      const eve = await newTenant(world);
      const receiver = await startReceiver();
      try {
        const code = endpoint(
          `const work = (async () => { for (let n = 0; n < 100; n += 1) {
             await fetch("${receiver.url}/" + n); await new Promise((done) => setTimeout(done, 200)); } })();
           work.catch(() => {}); ${linger.replace("TARGET", receiver.url)}`,
          { imports },
        );
        const made = await eve.call("POST", "/sources", { component_code: code });
        if (made.status === 422) return;
        await send(made.data.configured_props.http.endpoint_url, { method: "POST", body: {} });
        await eve.call("DELETE", `/sources/${made.data.id}`);
        await wait(3000);
        const before = receiver.received.length;
        await wait(3000);
        const more = receiver.received.length - before;
        hold(more === 0, `${more} requests arrived seconds after the deletion of the source`);
      } finally {
        receiver.close();
      }
    },
  };
}

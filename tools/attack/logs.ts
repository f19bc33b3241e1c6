import { type Attack, deploy, endpoint, hold, holdsService, newTenant, send } from "./world.ts";

export const logs: Attack[] = [
  {
    name: "100 MB of logs end no isolate but their own, and are kept by their bounds",
    async run(world) {
      const eve = await newTenant(world);
      const { id, url } = await deploy(
        eve,
        endpoint(
          `const text = "x".repeat(1e6); for (let n = 0; n < 100; n += 1) console.log(n, text); this.$emit({ done: true })`,
        ),
      );
      for (let n = 0; n < 3; n += 1) await send(url, { method: "POST", body: {} });
      await holdsService(world);
      const read = await eve.call(
        "GET",
        `/sources/${id}/$logs/event_summaries?expand=event&limit=100`,
      );
      hold(read.status === 200, `Its logs are answered by ${read.status}`);
      hold(read.text.length < 16e6, `Its logs are ${read.text.length} bytes`);
    },
  },
  {
    name: "a million short lines are bounded, too",
    async run(world) {
      const eve = await newTenant(world);
      const { id, url } = await deploy(
        eve,
        endpoint(`for (let n = 0; n < 1e6; n += 1) console.log(n)`),
      );
      await send(url, { method: "POST", body: {} });
      await holdsService(world);
      const read = await eve.call("GET", `/sources/${id}/$logs/event_summaries?limit=100`);
      hold(read.status === 200, `Its logs are answered by ${read.status}`);
    },
  },
];

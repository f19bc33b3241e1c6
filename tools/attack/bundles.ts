import { type Attack, deploy, endpoint, hold, holdWithin, newTenant, send } from "./world.ts";

export const bundles: Attack[] = [
  {
    name: "code of equal output does not overwrite another tenant's source map",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const mark = crypto.randomUUID();
      const code = endpoint(`throw new Error("${mark}")`);
      const source = await deploy(ada, code);
      await deploy(eve, `${"// moved\n".repeat(50)}${code}`);
      await send(source.url, { method: "POST", body: {} });
      const path = `/sources/${source.id}/$errors/event_summaries?expand=event`;
      const text = async () => JSON.stringify((await ada.call("GET", path)).data);
      await holdWithin(
        5000,
        async () => (await text()).includes(mark),
        "The platform recorded no error",
      );
      const [, line = ""] = /component\.js:(\d+)/.exec(await text()) ?? [];
      hold(Number(line) <= 3, `The error names line ${line} of another tenant's file`);
    },
  },
  {
    name: "code of equal output does not gain another tenant's sockets",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const unused = `import "node:net";\n`;
      const code = endpoint(`this.$emit({ at: "${crypto.randomUUID()}" })`);
      await deploy(eve, unused + code);
      const { url } = await deploy(ada, code);
      const { status } = await send(url, { method: "POST", body: {} });
      hold(status === 200, `It returned ${status}`);
    },
  },
];

import { setTimeout as wait } from "node:timers/promises";

import { startReceiver } from "../scripts/receiver.ts";
import {
  type Attack,
  deploy,
  endpoint,
  hold,
  newTenant,
  newWorkspace,
  operate,
  send,
} from "./world.ts";

export const formerMembers: Attack[] = [
  {
    name: "a removed member receives nothing more of a workspace: webhooks, auto-subscriptions, streams",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const workspace = await newWorkspace(world, ada, eve);
      const receiver = await startReceiver();
      try {
        const source = await deploy(
          ada,
          endpoint(`console.log("secret"); this.$emit({ secret: true })`),
          {
            org_id: workspace,
          },
        );
        const { data: hook } = await eve.call("POST", "/webhooks", {
          url: receiver.url,
          name: "W",
        });
        await eve.call("POST", "/subscriptions", { emitter_id: source.id, listener_id: hook.id });
        const auto = { event_name: "$logs", listener_id: hook.id, org_id: workspace };
        const made = await eve.call("POST", "/auto_subscriptions", auto);
        hold(made.status === 200, `The auto-subscription: ${made.status} ${made.text}`);
        const stream = await fetch(`${world.origin}/v1/sources/${source.id}/sse`, {
          headers: eve.headers,
        });
        const reading = textOf(stream);

        await operate(world, "DELETE", `/workspaces/${workspace}/members/${eve.id}`);
        await wait(500);
        const before = receiver.received.length;
        await send(source.url, { method: "POST", body: {} });
        await wait(2500);
        hold(
          receiver.received.length === before,
          "The platform called a webhook of the former member",
        );
        const streamed = await Promise.race([reading, wait(100, "still open")]);
        hold(!streamed.includes("secret"), "The stream received another event");
        hold(streamed !== "still open", "The stream is still open");
        const again = await fetch(`${world.origin}/v1/sources/${source.id}/sse`, {
          headers: eve.headers,
        });
        await again.body?.cancel();
        hold(again.status === 404, `A new stream got ${again.status}`);
      } finally {
        receiver.close();
      }
    },
  },
  {
    name: "a removed member keeps no client of the workspace's projects, and none of its tokens",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const workspace = await newWorkspace(world, ada, eve);
      const mine = { name: "Ours", workspace_id: workspace };
      const { id } = JSON.parse((await ada.call("POST", "/connect/projects", mine)).text);
      const { data: client } = await eve.call("POST", "/connect/oauth_clients", mine);
      const granted = () =>
        send(`${world.origin}/v1/oauth/token`, {
          method: "POST",
          body: {
            grant_type: "client_credentials",
            client_id: client.client_id,
            client_secret: client.client_secret,
          },
        });
      const token: string = JSON.parse((await granted()).text).access_token;
      const use = () =>
        send(`${world.origin}/v1/connect/projects/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        });
      hold((await use()).status === 200, "The client has no access to begin with");
      await operate(world, "DELETE", `/workspaces/${workspace}/members/${eve.id}`);
      const after = [(await use()).status, (await granted()).status];
      hold(after.join() === "401,401", `Its token and its secret get ${after.join()}`);
    },
  },
  {
    name: "only the owner of auto-subscriptions lists and deletes them",
    async run(world) {
      const [ada, eve] = [await newTenant(world), await newTenant(world)];
      const { data: hook } = await ada.call("POST", "/webhooks", {
        url: "http://127.0.0.1:9/",
        name: "W",
      });
      await ada.call("POST", "/auto_subscriptions", {
        event_name: "$errors",
        listener_id: hook.id,
      });
      const query = `event_name=${encodeURIComponent("$errors")}&listener_id=${hook.id}`;
      hold((await ada.call("GET", "/auto_subscriptions")).data?.length === 1, "It is not listed");
      hold((await eve.call("GET", "/auto_subscriptions")).data?.length === 0, "Others see it");
      const foreign = await eve.call("DELETE", `/auto_subscriptions?${query}`);
      hold(foreign.status === 404, `Another's deletion returned ${foreign.status}`);
      const own = await ada.call("DELETE", `/auto_subscriptions?${query}`);
      hold(own.status === 204, `The owner's deletion returned ${own.status}`);
    },
  },
];

async function textOf(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => String(error));
}

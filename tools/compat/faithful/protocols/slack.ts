import { json, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Slack's Web API, and its events through the app's hook. */
async function slack(stage: Stage): Promise<void> {
  const channel = { id: "C1", name: "general", is_channel: true, is_private: false };
  const known: Record<string, unknown> = {
    "users.info": { user: { id: "U1", name: "ada", profile: {} } },
    "bots.info": { bot: { id: "B1", name: "robot" } },
    "conversations.info": { channel },
    "team.info": { team: { id: "T1", name: "Engines" } },
    "users.conversations": { channels: [channel], response_metadata: { next_cursor: "" } },
    "conversations.list": { channels: [channel], response_metadata: { next_cursor: "" } },
    "users.list": { members: [{ id: "U1", name: "ada" }], response_metadata: { next_cursor: "" } },
  };
  stage.serve(
    routes({
      "POST slack.com/api/:method": ({ params: { method = "" }, headers }) => {
        if (headers["authorization"] !== "Bearer xoxp-1")
          return json({ ok: false, error: "not_authed" });
        const found = known[method];
        return json(found ? { ok: true, ...found } : { ok: false, error: "unknown_method" });
      },
    }),
  );
  await stage.deploy({ conversations: ["C1"], resolveNames: true, ignoreBot: true });
  const event = {
    type: "message",
    channel: "C1",
    user: "U1",
    team: "T1",
    text: "hello",
    ts: "1735786800.000100",
  };
  const deliver = (more: object) =>
    stage.deliver("slack", { event_name: ["C1", "message"], event: { ...event, ...more } });
  await deliver({ client_msg_id: "m1" });
  await deliver({ client_msg_id: "m2", bot_id: "B1" });
  const [message] = await stage.emitted<Record<string, unknown>>(1);
  stage.equal("the user", [message?.["user"], message?.["user_id"]], ["ada", "U1"]);
  stage.equal("the team", [message?.["team"], message?.["team_id"]], ["Engines", "T1"]);
  stage.equal("the channel", String(message?.["channel"]).includes("general"), true);
}

export const SLACK: Scenario[] = [
  {
    protocol: "Slack Web API and apphook",
    component: "components/slack/sources/new-message-in-channels/new-message-in-channels.mjs",
    credentials: { oauth_access_token: "xoxp-1", oauth_uid: "U9" },
    follows: "slack-new-message-in-channels 1.0.25, April 2026",
    play: slack,
  },
];

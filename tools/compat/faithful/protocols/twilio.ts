import { createHmac } from "node:crypto";

import { type Fake, formOf, json, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const [ACCOUNT, KEY, TOKEN] = [`AC${"2".repeat(32)}`, `SK${"3".repeat(32)}`, "auth-token-1"];

const NUMBER = { sid: `PN${"1".repeat(32)}`, friendly_name: "Desk", phone_number: "+15550100" };

/** The numbers of a Twilio account. `urls` collects each value of `SmsUrl`. */
function numbers(urls: string[]): Fake {
  const base = `api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/IncomingPhoneNumbers`;
  const paging = { page: 0, page_size: 50, next_page_uri: null };
  return routes({
    [`GET ${base}.json`]: () => json({ incoming_phone_numbers: [NUMBER], ...paging }),
    [`POST ${base}/${NUMBER.sid}.json`]: (request) => {
      const { SmsUrl } = formOf(request);
      if (SmsUrl !== undefined) urls.push(SmsUrl);
      return json({ ...NUMBER, sms_url: urls.at(-1) });
    },
  });
}

/** HMAC-SHA1 over the URL and each parameter's name and value, by name. */
function signatureOf(url: string, fields: Record<string, string>, key: string): string {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = url + sorted.flat().join("");
  return createHmac("sha1", key).update(text).digest("base64");
}

async function incomingSms(stage: Stage): Promise<void> {
  const urls: string[] = [];
  stage.serve(numbers(urls));
  stage.equal("the numbers", await stage.choices("incomingPhoneNumber"), [NUMBER.sid]);
  await stage.deploy({
    incomingPhoneNumber: NUMBER.sid,
    authToken: TOKEN,
    responseMessage: "Thanks & bye",
  });
  stage.equal("SmsUrl", urls, [stage.endpoint]);
  const fields = { MessageSid: "SM1", From: "+15550199", Body: "Grüße & more" };
  const deliver = (key: string, once: string) =>
    stage.push({
      body: new URLSearchParams(fields).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": signatureOf(`${stage.endpoint}/`, fields, key),
        "i-twilio-idempotency-token": once,
      },
    });
  const response = await deliver(TOKEN, "once-1");
  const twiml = response.text.replace(/^<\?xml[^>]*>\s*/, "");
  stage.equal("the TwiML", twiml, "<Response><Message>Thanks &amp; bye</Message></Response>");
  await deliver(TOKEN, "once-1");
  await deliver("another key", "once-2");
  stage.equal("the events", await stage.emitted(1), [fields]);
  await stage.stop();
  stage.equal("SmsUrl at the end", urls, [stage.endpoint, ""]);
}

export const TWILIO: Scenario[] = ["twilio_like", "twilio"].map((app) => ({
  protocol: "Twilio signatures",
  component: `components/${app}/sources/new-incoming-sms/new-incoming-sms.mjs`,
  credentials: { Sid: KEY, Secret: "secret-1", AccountSid: ACCOUNT, AuthToken: TOKEN },
  follows: "twilio-new-incoming-sms 0.1.3, March 2024",
  play: incomingSms,
}));

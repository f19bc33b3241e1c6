import { Link, useParams } from "@tanstack/react-router";

import { CodeSample } from "../../components/code-sample.tsx";
import { LINK } from "../../components/links.tsx";
import { Facts, Section } from "../../components/section.tsx";

const INSTALL = "npm install standardwebhooks express";

const RECEIVER = `import express from "express";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET); // whsec_…

express()
  // The signature is that of the raw body, so it is not parsed before.
  .post("/hook", express.text({ type: "*/*" }), (request, response) => {
    try {
      const event = webhook.verify(request.body, request.headers);
      console.log(request.headers["webhook-id"], event);
      response.sendStatus(204);
    } catch {
      response.sendStatus(400);
    }
  })
  .listen(3000);
`;

const HEADERS: [string, string][] = [
  ["webhook-id", "Emit id of the event, the same for each attempt: drop duplicates."],
  ["webhook-timestamp", "Time of this attempt's signature, in epoch seconds. Refuse old ones."],
  [
    "webhook-signature",
    "v1, and the HMAC-SHA256 in base64. During a rotation there are several, separated by spaces.",
  ],
];

/** Instructions for verifying deliveries. */
export function VerifyPage() {
  const { id } = useParams({ from: "/shell/webhooks/$id" });
  return (
    <>
      <Section
        title="Verify with Node"
        description="Signatures are those of Standard Webhooks, which has libraries for most languages."
      >
        <CodeSample label="Install the library" code={INSTALL} />
        <CodeSample label="A receiver that verifies" code={RECEIVER} />
        <p className="text-sm text-kumo-subtle">
          The signing secret was shown when the webhook was created. Where it is lost,{" "}
          <Link to="/webhooks/$id/settings" params={{ id }} className={LINK}>
            rotate it
          </Link>
          .
        </p>
      </Section>
      <Section title="Headers of a delivery">
        <Facts facts={HEADERS} />
      </Section>
      <Section title="Recommendations for receivers">
        <ul className="list-disc pl-5">
          <li>
            Respond with a 2xx within 15 seconds; any other outcome is retried for about three days.
          </li>
          <li>Respond with 410 to deactivate the webhook.</li>
          <li>Expect an event more than once, and in any order.</li>
        </ul>
      </Section>
    </>
  );
}

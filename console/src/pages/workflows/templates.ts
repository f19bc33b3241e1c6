import type { Definition } from "./definition.ts";

/** A template of a workflow. */
type Template = { id: string; title: string; sentence: string; definition: Definition };

export const TEMPLATES: Template[] = [
  {
    id: "http",
    title: "HTTP request",
    sentence: "Each request to its URL runs it, and receives the response of a step.",
    definition: {
      name: "Respond to a request",
      trigger: { type: "http" },
      steps: [
        {
          name: "total",
          component_code: `export default ({ steps }) => {
  const { items = [] } = steps.trigger.event.body ?? {};
  return items.reduce((sum, { price }) => sum + price, 0);
};
`,
        },
        {
          name: "answer",
          component_code: `export default ({ steps, $ }) =>
  $.respond({ status: 200, body: { total: steps.total.$return_value } });
`,
        },
      ],
    },
  },
  {
    id: "timer",
    title: "Timer",
    sentence: "It runs by a cron expression or an interval.",
    definition: {
      name: "Every morning",
      trigger: { type: "timer", cron: "0 9 * * 1-5", timezone: "UTC" },
      steps: [
        {
          name: "read",
          component_code: `export default async () => {
  const response = await fetch("https://api.example.com/orders");
  return response.json();
};
`,
          retries: { limit: 3, delay_seconds: 60 },
        },
      ],
    },
  },
  {
    id: "events",
    title: "Events of a source",
    sentence: "Subscribe it to a source, and each of its events runs it.",
    definition: {
      name: "On each event",
      trigger: { type: "none" },
      steps: [
        {
          name: "show",
          component_code: `export default ({ steps }) => {
  console.log("Received", steps.trigger.event);
  return steps.trigger.event;
};
`,
        },
      ],
    },
  },
  {
    id: "approval",
    title: "Approval",
    sentence: "It pauses until it is resumed here, or by its URL.",
    definition: {
      name: "Approve first",
      trigger: { type: "http" },
      steps: [
        {
          name: "approval",
          component_code: `export default ({ $ }) => {
  const { resume_url, cancel_url } = $.flow.suspend();
  console.log("Approve:", resume_url, "Decline:", cancel_url);
};
`,
        },
        {
          name: "act",
          component_code: `export default ({ steps }) => {
  console.log("Approved", steps.approval);
};
`,
        },
      ],
    },
  },
];

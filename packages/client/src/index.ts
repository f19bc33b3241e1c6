export { type Client, type ClientOptions, createClient } from "./client.ts";
export { errorOf, WellspringError } from "./errors.ts";
export type { FollowOptions, StreamedEvent } from "./streams.ts";
export type { components, operations, paths } from "./v1.generated.ts";
export { verifyWebhook, WebhookVerificationError } from "./webhooks.ts";

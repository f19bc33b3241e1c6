CREATE TABLE `accounts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`app` text NOT NULL,
	`name` text NOT NULL,
	`credentials` text NOT NULL,
	`key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_by_id` ON `accounts` (`id`);--> statement-breakpoint
CREATE INDEX `accounts_by_owner` ON `accounts` (`owner_id`,`seq`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `auto_subscriptions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`listener_id` text NOT NULL,
	`event_name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auto_subscriptions_by_id` ON `auto_subscriptions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `auto_subscriptions_by_owner` ON `auto_subscriptions` (`owner_id`,`event_name`,`listener_id`);--> statement-breakpoint
CREATE TABLE `components` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`key` text,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`code_hash` text NOT NULL,
	`bundle_hash` text NOT NULL,
	`url` text,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `components_by_id` ON `components` (`id`);--> statement-breakpoint
CREATE INDEX `components_by_key` ON `components` (`owner_id`,`key`,`seq`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `workspace_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `registry_entries` (
	`key` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`component_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `registry_entries_by_component` ON `registry_entries` (`component_id`);--> statement-breakpoint
CREATE TABLE `sources` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`component_id` text NOT NULL,
	`name` text NOT NULL,
	`name_slug` text NOT NULL,
	`active` integer NOT NULL,
	`state` text NOT NULL,
	`updating_since` integer,
	`pending` text,
	`shown_props` text NOT NULL,
	`endpoints` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_by_id` ON `sources` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sources_by_slug` ON `sources` (`owner_id`,`name_slug`);--> statement-breakpoint
CREATE INDEX `sources_by_owner` ON `sources` (`owner_id`,`state`,`seq`);--> statement-breakpoint
CREATE INDEX `sources_changing` ON `sources` (`updating_since`) WHERE updating_since IS NOT NULL;--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`emitter_id` text NOT NULL,
	`listener_id` text NOT NULL,
	`event_name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_by_id` ON `subscriptions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_by_emitter` ON `subscriptions` (`owner_id`,`emitter_id`,`event_name`,`listener_id`);--> statement-breakpoint
CREATE INDEX `subscriptions_by_listener` ON `subscriptions` (`listener_id`);--> statement-breakpoint
CREATE TABLE `usage` (
	`owner_id` text NOT NULL,
	`day` text NOT NULL,
	`emitter_id` text NOT NULL,
	`invocations` integer NOT NULL,
	`compute_ms` integer NOT NULL,
	`credits` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `day`, `emitter_id`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`email` text NOT NULL,
	`plan` text NOT NULL,
	`daily_invocations_quota` integer,
	`daily_compute_ms_quota` integer,
	`daily_credits_quota` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`name` text,
	`description` text,
	`active` integer NOT NULL,
	`inactive_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_by_id` ON `webhooks` (`id`);--> statement-breakpoint
CREATE INDEX `webhooks_by_owner` ON `webhooks` (`owner_id`,`seq`);--> statement-breakpoint
CREATE TABLE `workflows` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`deployment_id` text NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL,
	`trigger` text NOT NULL,
	`steps` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflows_by_id` ON `workflows` (`id`);--> statement-breakpoint
CREATE INDEX `workflows_by_owner` ON `workflows` (`owner_id`,`seq`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`orgname` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`plan` text NOT NULL,
	`daily_invocations_quota` integer,
	`daily_compute_ms_quota` integer,
	`daily_credits_quota` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE TABLE `agent_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text,
	`client_id` text,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`resource` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `agent_grants_by_owner` ON `agent_grants` (`owner_id`);--> statement-breakpoint
CREATE INDEX `agent_grants_by_user` ON `agent_grants` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `agent_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`kind` text NOT NULL,
	`terms` text,
	`used_at` integer,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `agent_tokens_by_grant` ON `agent_tokens` (`grant_id`);--> statement-breakpoint
CREATE INDEX `agent_tokens_by_expiry` ON `agent_tokens` (`expires_at`);
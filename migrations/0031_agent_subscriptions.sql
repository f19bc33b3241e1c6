CREATE TABLE `agent_subscriptions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`principal` text NOT NULL,
	`grant_id` text,
	`project_id` text,
	`name` text NOT NULL,
	`arguments` text NOT NULL,
	`url` text NOT NULL,
	`source_id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`replaced_hashes` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_subscriptions_by_id` ON `agent_subscriptions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `agent_subscriptions_by_webhook` ON `agent_subscriptions` (`webhook_id`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_owner` ON `agent_subscriptions` (`owner_id`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_project` ON `agent_subscriptions` (`project_id`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_grant` ON `agent_subscriptions` (`grant_id`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_secret` ON `agent_subscriptions` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_expiry` ON `agent_subscriptions` (`expires_at`);
CREATE TABLE `agent_sources` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`project_id` text,
	`key` text,
	`claimed_at` integer NOT NULL,
	`polled_until` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_sources_by_source` ON `agent_sources` (`source_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `agent_sources_by_key` ON `agent_sources` (`key`);--> statement-breakpoint
CREATE INDEX `agent_sources_by_owner` ON `agent_sources` (`owner_id`);--> statement-breakpoint
CREATE INDEX `agent_sources_by_project` ON `agent_sources` (`project_id`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_source` ON `agent_subscriptions` (`source_id`);
CREATE TABLE `connect_notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`external_user_id` text NOT NULL,
	`project_id` text NOT NULL,
	`environment` text NOT NULL,
	`url` text,
	`body` text NOT NULL,
	`key_id` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connect_notifications_by_attempt` ON `connect_notifications` (`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `connect_notifications_by_user` ON `connect_notifications` (`external_user_id`);--> statement-breakpoint
CREATE INDEX `connect_notifications_by_project` ON `connect_notifications` (`project_id`,`environment`);
CREATE TABLE `mailbox` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`text` text,
	`html` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mailbox_by_id` ON `mailbox` (`id`);--> statement-breakpoint
CREATE INDEX `mailbox_by_owner` ON `mailbox` (`owner_id`,`seq`);
CREATE TABLE `file_stashes` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`secret` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `file_stashes_by_owner` ON `file_stashes` (`owner_id`);--> statement-breakpoint
CREATE INDEX `file_stashes_by_expiry` ON `file_stashes` (`expires_at`);
CREATE TABLE `data_stores` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_stores_by_id` ON `data_stores` (`id`);--> statement-breakpoint
CREATE INDEX `data_stores_by_owner` ON `data_stores` (`owner_id`,`seq`);
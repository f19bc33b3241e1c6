CREATE TABLE `apphooks` (
	`account_id` text NOT NULL,
	`source_id` text NOT NULL,
	`event_names` text NOT NULL,
	PRIMARY KEY(`account_id`, `source_id`)
);
--> statement-breakpoint
CREATE INDEX `apphooks_by_source` ON `apphooks` (`source_id`);--> statement-breakpoint
ALTER TABLE `sources` ADD `apphooks` text DEFAULT '{}' NOT NULL;
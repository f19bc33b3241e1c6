CREATE TABLE `owned_counts` (
	`owner_id` text NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `registry_terms` (
	`term` text NOT NULL,
	`key` text NOT NULL,
	`weight` integer NOT NULL,
	PRIMARY KEY(`term`, `key`)
);
--> statement-breakpoint
CREATE INDEX `registry_terms_by_key` ON `registry_terms` (`key`);
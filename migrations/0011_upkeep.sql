CREATE TABLE `bundle_packages` (
	`bundle_hash` text PRIMARY KEY NOT NULL,
	`packages_hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bundle_packages_by_packages` ON `bundle_packages` (`packages_hash`);--> statement-breakpoint
CREATE TABLE `removals` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `unused_code` (
	`name` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `walks` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text,
	`started_at` integer NOT NULL
);

CREATE TABLE `oauth_apps` (
	`app` text PRIMARY KEY NOT NULL,
	`token_url` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text NOT NULL,
	`key_id` text NOT NULL,
	`authentication` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `accounts` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `refresh_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `error` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `error_at` integer;--> statement-breakpoint
CREATE INDEX `accounts_by_external_id` ON `accounts` (`app`,`external_id`);
ALTER TABLE `app_overrides` ADD `settings` text;--> statement-breakpoint
ALTER TABLE `connect_tokens` ADD `allow_progressive_scopes` integer;--> statement-breakpoint
ALTER TABLE `project_oauth_apps` ADD `endpoints` text;
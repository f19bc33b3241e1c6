ALTER TABLE `users` ADD `storage_quota` integer;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `storage_quota` integer;
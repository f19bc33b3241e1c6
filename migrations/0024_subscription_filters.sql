ALTER TABLE `auto_subscriptions` ADD `filter` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `filter` text;
ALTER TABLE `agent_subscriptions` ADD `credential` text;--> statement-breakpoint
ALTER TABLE `agent_subscriptions` ADD `authorized_by` text;--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_credential` ON `agent_subscriptions` (`credential`);--> statement-breakpoint
CREATE INDEX `agent_subscriptions_by_author` ON `agent_subscriptions` (`authorized_by`);
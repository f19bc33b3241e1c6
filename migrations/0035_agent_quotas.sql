ALTER TABLE `external_users` ADD `agent_subscriptions_quota` integer;--> statement-breakpoint
ALTER TABLE `external_users` ADD `agent_polls_quota` integer;--> statement-breakpoint
ALTER TABLE `external_users` ADD `agent_runs_quota` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `agent_subscriptions_quota` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `agent_polls_quota` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `agent_runs_quota` integer;
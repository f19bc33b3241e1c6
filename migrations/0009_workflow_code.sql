CREATE TABLE `workflow_code` (
	`workflow_id` text NOT NULL,
	`deployment_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `deployment_id`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `workflow_code_by_hash` ON `workflow_code` (`hash`,`owner_id`);--> statement-breakpoint
ALTER TABLE `workflows` ADD `code_checked_at` integer DEFAULT 0;--> statement-breakpoint
CREATE INDEX `workflows_to_check` ON `workflows` (`code_checked_at`) WHERE code_checked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `components_by_bundle` ON `components` (`bundle_hash`);--> statement-breakpoint
CREATE INDEX `components_by_code` ON `components` (`code_hash`);--> statement-breakpoint
CREATE INDEX `sources_by_component` ON `sources` (`component_id`,`owner_id`);
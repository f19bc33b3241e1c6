CREATE TABLE `registry_import_items` (
	`import_id` text NOT NULL,
	`number` integer NOT NULL,
	`path` text NOT NULL,
	`state` text NOT NULL,
	`key` text,
	`version` text,
	`license` text,
	`message` text,
	PRIMARY KEY(`import_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `registry_import_items_by_state` ON `registry_import_items` (`import_id`,`state`,`number`);--> statement-breakpoint
CREATE TABLE `registry_imports` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`url` text,
	`state` text NOT NULL,
	`error` text,
	`starts` integer DEFAULT 0 NOT NULL,
	`cleared_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `registry_imports_by_id` ON `registry_imports` (`id`);--> statement-breakpoint
CREATE INDEX `registry_imports_by_owner` ON `registry_imports` (`owner_id`,`seq`);--> statement-breakpoint
CREATE INDEX `registry_imports_open` ON `registry_imports` (`updated_at`) WHERE cleared_at IS NULL;--> statement-breakpoint
ALTER TABLE `components` ADD `files_hash` text;--> statement-breakpoint
CREATE INDEX `components_by_files` ON `components` (`files_hash`);
CREATE TABLE `console_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`is_operator` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_links_by_user` ON `console_links` (`user_id`);--> statement-breakpoint
CREATE INDEX `console_links_by_expiry` ON `console_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`hash` text NOT NULL,
	`user_id` text,
	`key_hash` text,
	`is_asserted` integer NOT NULL,
	`operator_hash` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`user_agent` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_by_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_by_id` ON `sessions` (`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`,`seq`);--> statement-breakpoint
CREATE INDEX `sessions_by_key` ON `sessions` (`key_hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
-- No way to revoke a key or to delete a user can forget the sessions and links that depend on it.
CREATE TRIGGER sessions_of_keys_out AFTER DELETE ON api_keys BEGIN DELETE FROM sessions WHERE key_hash = OLD.hash; END;
--> statement-breakpoint
CREATE TRIGGER sessions_of_users_out AFTER DELETE ON users BEGIN DELETE FROM sessions WHERE user_id = OLD.id; DELETE FROM console_links WHERE user_id = OLD.id; END;

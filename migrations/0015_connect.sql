CREATE TABLE `app_overrides` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`app` text NOT NULL,
	`name` text NOT NULL,
	`oauth_app_id` text,
	`field_names` text NOT NULL,
	`fields` text NOT NULL,
	`key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_overrides_by_id` ON `app_overrides` (`id`);--> statement-breakpoint
CREATE INDEX `app_overrides_by_project` ON `app_overrides` (`project_id`,`app`,`seq`);--> statement-breakpoint
CREATE TABLE `apps` (
	`slug` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `authorizations` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`actor_id` text NOT NULL,
	`owner_id` text NOT NULL,
	`token_hash` text,
	`app` text NOT NULL,
	`oauth_app_id` text,
	`account_id` text,
	`secrets` text NOT NULL,
	`key_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `authorizations_by_expiry` ON `authorizations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `component_apps` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`app` text NOT NULL,
	`key` text NOT NULL,
	`component_type` text NOT NULL,
	`auth` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `component_apps_by_app` ON `component_apps` (`app`,`component_type`,`key`);--> statement-breakpoint
CREATE INDEX `component_apps_by_key` ON `component_apps` (`key`);--> statement-breakpoint
CREATE TABLE `connect_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`external_user_id` text NOT NULL,
	`app` text,
	`oauth_app_id` text,
	`allowed_origins` text NOT NULL,
	`success_redirect_uri` text,
	`error_redirect_uri` text,
	`webhook_uri` text,
	`scope` text,
	`account_id` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connect_tokens_by_user` ON `connect_tokens` (`external_user_id`);--> statement-breakpoint
CREATE INDEX `connect_tokens_by_expiry` ON `connect_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `deployed_triggers` (
	`source_id` text PRIMARY KEY NOT NULL,
	`component_key` text,
	`emit_on_deploy` integer NOT NULL,
	`webhook_id` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `external_users` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`environment` text NOT NULL,
	`external_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `external_users_by_id` ON `external_users` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `external_users_by_external_id` ON `external_users` (`project_id`,`environment`,`external_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `external_users_deleted` ON `external_users` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `external_users_by_project` ON `external_users` (`project_id`,`environment`,`seq`);--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`project_id` text,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_by_id` ON `oauth_clients` (`id`);--> statement-breakpoint
CREATE INDEX `oauth_clients_by_owner` ON `oauth_clients` (`owner_id`,`seq`);--> statement-breakpoint
CREATE INDEX `oauth_clients_by_project` ON `oauth_clients` (`project_id`);--> statement-breakpoint
CREATE TABLE `oauth_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`scope` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oauth_tokens_by_client` ON `oauth_tokens` (`client_id`);--> statement-breakpoint
CREATE INDEX `oauth_tokens_by_expiry` ON `oauth_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `project_oauth_apps` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`app` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`client_id` text NOT NULL,
	`client_secret` text NOT NULL,
	`key_id` text NOT NULL,
	`scopes` text,
	`additional_scopes` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_oauth_apps_by_id` ON `project_oauth_apps` (`id`);--> statement-breakpoint
CREATE INDEX `project_oauth_apps_by_project` ON `project_oauth_apps` (`project_id`,`app`,`seq`);--> statement-breakpoint
CREATE TABLE `project_webhooks` (
	`project_id` text NOT NULL,
	`environment` text NOT NULL,
	`url` text NOT NULL,
	`signing_key` text NOT NULL,
	`key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_webhooks_by_environment` ON `project_webhooks` (`project_id`,`environment`);--> statement-breakpoint
CREATE TABLE `projects` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`app_name` text,
	`support_email` text,
	`require_key_auth_test` integer NOT NULL,
	`logo` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_id` ON `projects` (`id`);--> statement-breakpoint
CREATE INDEX `projects_by_owner` ON `projects` (`owner_id`,`seq`);--> statement-breakpoint
CREATE INDEX `projects_deleted` ON `projects` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `dead` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `refreshed_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `oauth_app_id` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `scopes` text;
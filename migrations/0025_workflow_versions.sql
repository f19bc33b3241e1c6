CREATE TABLE `workflow_plans` (
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`sealed` text,
	`steps` text NOT NULL,
	PRIMARY KEY(`workflow_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `workflow_version_code` (
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`workflow_id`, `version`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `workflow_version_code_by_hash` ON `workflow_version_code` (`hash`);--> statement-breakpoint
CREATE TABLE `workflow_versions` (
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`name` text NOT NULL,
	`user_id` text,
	`restored_from` integer,
	`created_at` integer NOT NULL,
	`trigger` text NOT NULL,
	`steps` text NOT NULL,
	PRIMARY KEY(`workflow_id`, `version`)
);
--> statement-breakpoint
ALTER TABLE `workflows` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `workflows` ADD `deployed_ms` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
INSERT INTO workflow_versions (workflow_id, version, name, `trigger`, steps, created_at) SELECT id, 1, name, `trigger`, steps, updated_at FROM workflows;
--> statement-breakpoint
INSERT INTO workflow_version_code (workflow_id, version, hash) SELECT c.workflow_id, 1, c.hash FROM workflow_code AS c JOIN workflows AS w ON w.id = c.workflow_id AND w.deployment_id = c.deployment_id;
--> statement-breakpoint
CREATE TRIGGER workflows_versions_in AFTER INSERT ON workflows BEGIN INSERT OR REPLACE INTO workflow_versions (workflow_id, version, name, `trigger`, steps, created_at) VALUES (NEW.id, NEW.version, NEW.name, NEW.`trigger`, NEW.steps, NEW.updated_at); END;
--> statement-breakpoint
CREATE TRIGGER workflows_versions_again AFTER UPDATE OF deployment_id ON workflows WHEN NEW.deployed_ms = OLD.deployed_ms AND NEW.deployment_id <> OLD.deployment_id BEGIN UPDATE workflows SET version = OLD.version + 1, deployed_ms = OLD.deployed_ms + 1 WHERE id = NEW.id; INSERT OR REPLACE INTO workflow_versions (workflow_id, version, name, `trigger`, steps, created_at) VALUES (NEW.id, OLD.version + 1, NEW.name, NEW.`trigger`, NEW.steps, NEW.updated_at); END;

CREATE TABLE `source_versions` (
	`source_id` text NOT NULL,
	`version` integer NOT NULL,
	`component_id` text NOT NULL,
	`user_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `version`)
);
--> statement-breakpoint
ALTER TABLE `usage` ADD `hours` text;--> statement-breakpoint
ALTER TABLE `usage` ADD `failures` integer;--> statement-breakpoint
ALTER TABLE `usage` ADD `events` integer;--> statement-breakpoint
ALTER TABLE `owner_usage` ADD `hours` text;
--> statement-breakpoint
INSERT INTO source_versions (source_id, version, component_id, created_at) SELECT id, 1, component_id, updated_at FROM sources WHERE state = 'live';
--> statement-breakpoint
CREATE TRIGGER source_versions_in AFTER UPDATE OF state, component_id ON sources WHEN NEW.state = 'live' AND (OLD.state <> 'live' OR NEW.component_id <> OLD.component_id) BEGIN INSERT INTO source_versions (source_id, version, component_id, user_id, created_at) SELECT NEW.id, coalesce(max(version), 0) + 1, NEW.component_id, iif(OLD.state <> 'live', NEW.user_id, OLD.pending ->> 'userId'), NEW.updated_at FROM source_versions WHERE source_id = NEW.id; DELETE FROM source_versions WHERE source_id = NEW.id AND version <= (SELECT max(version) FROM source_versions WHERE source_id = NEW.id) - 100; END;
--> statement-breakpoint
CREATE TRIGGER source_versions_out AFTER DELETE ON sources BEGIN DELETE FROM source_versions WHERE source_id = OLD.id; END;

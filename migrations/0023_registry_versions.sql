CREATE TABLE `registry_versions` (
	`owner_id` text NOT NULL,
	`key` text NOT NULL,
	`version` text NOT NULL,
	`component_id` text NOT NULL,
	`license` text,
	`deprecated` text,
	`unpublished_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `key`, `version`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `registry_versions_by_component` ON `registry_versions` (`component_id`);--> statement-breakpoint
INSERT INTO registry_versions (owner_id, key, version, component_id, created_at) SELECT 'u_registry', key, version, component_id, updated_at FROM registry_entries;
--> statement-breakpoint
INSERT INTO registry_versions (owner_id, key, version, component_id, created_at) SELECT 'u_registry', c.key, c.version, c.id, c.created_at FROM registry_entries AS e JOIN components AS newest ON newest.id = e.component_id JOIN components AS c ON c.owner_id = 'u_registry' AND c.key = e.key AND c.seq < newest.seq WHERE true ON CONFLICT DO NOTHING;
--> statement-breakpoint
CREATE TRIGGER registry_entries_versions_in AFTER INSERT ON registry_entries WHEN NOT EXISTS (SELECT 1 FROM registry_versions WHERE component_id = NEW.component_id) BEGIN INSERT OR REPLACE INTO registry_versions (owner_id, key, version, component_id, created_at) VALUES ('u_registry', NEW.key, NEW.version, NEW.component_id, NEW.updated_at); END;
--> statement-breakpoint
CREATE TRIGGER registry_entries_versions_again AFTER UPDATE OF component_id ON registry_entries WHEN NOT EXISTS (SELECT 1 FROM registry_versions WHERE component_id = NEW.component_id) BEGIN INSERT OR REPLACE INTO registry_versions (owner_id, key, version, component_id, created_at) VALUES ('u_registry', NEW.key, NEW.version, NEW.component_id, NEW.updated_at); END;

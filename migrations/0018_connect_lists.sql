CREATE TABLE `registry_types` (
	`key` text PRIMARY KEY NOT NULL,
	`component_type` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `registry_types_by_type` ON `registry_types` (`component_type`,`key`);--> statement-breakpoint
ALTER TABLE `deployed_triggers` ADD `project_id` text DEFAULT 'proj_' NOT NULL;--> statement-breakpoint
ALTER TABLE `deployed_triggers` ADD `environment` text DEFAULT 'production' NOT NULL;--> statement-breakpoint
CREATE INDEX `deployed_triggers_by_project` ON `deployed_triggers` (`project_id`,`environment`);
--> statement-breakpoint
-- For the components of one type that an owner has saved: an index over an expression, which the schema cannot declare.
CREATE INDEX components_by_type ON components (owner_id, json_extract(definition, '$.type'), key, seq) WHERE key IS NOT NULL;
--> statement-breakpoint
INSERT INTO registry_types (key, component_type) SELECT e.key, json_extract(c.definition, '$.type') FROM registry_entries AS e JOIN components AS c ON c.id = e.component_id;
--> statement-breakpoint
CREATE TRIGGER registry_entries_typed_in AFTER INSERT ON registry_entries BEGIN INSERT INTO registry_types (key, component_type) SELECT NEW.key, json_extract(definition, '$.type') FROM components WHERE id = NEW.component_id ON CONFLICT (key) DO UPDATE SET component_type = excluded.component_type; END;
--> statement-breakpoint
CREATE TRIGGER registry_entries_typed_again AFTER UPDATE OF component_id ON registry_entries BEGIN INSERT INTO registry_types (key, component_type) SELECT NEW.key, json_extract(definition, '$.type') FROM components WHERE id = NEW.component_id ON CONFLICT (key) DO UPDATE SET component_type = excluded.component_type; END;
--> statement-breakpoint
CREATE TRIGGER registry_entries_typed_out AFTER DELETE ON registry_entries BEGIN DELETE FROM registry_types WHERE key = OLD.key; END;

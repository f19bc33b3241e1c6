CREATE TABLE `account_checks` (
	`subject_id` text PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`kind` text NOT NULL,
	`about` text NOT NULL,
	`since_ms` integer NOT NULL,
	`ended_ms` integer,
	`message` text NOT NULL,
	`error` text,
	`count` integer NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_by_subject` ON `alerts` (`subject_id`,`kind`,`about`,`since_ms`);--> statement-breakpoint
CREATE INDEX `alerts_by_owner` ON `alerts` (`owner_id`,`seq`);
--> statement-breakpoint
-- What an account is given to is told that it was deleted or marked dead, or that it works again, whatever did that.
CREATE TRIGGER account_checks_deleted AFTER DELETE ON accounts BEGIN INSERT INTO account_checks (subject_id, changes) SELECT id, 1 FROM (SELECT id FROM sources WHERE owner_id = OLD.owner_id AND instr(shown_props, '"' || OLD.id || '"') > 0 UNION ALL SELECT id FROM workflows WHERE owner_id = OLD.owner_id AND instr(steps, '"' || OLD.id || '"') > 0) WHERE true ON CONFLICT (subject_id) DO UPDATE SET changes = changes + 1; END;
--> statement-breakpoint
CREATE TRIGGER account_checks_changed AFTER UPDATE OF dead, error ON accounts WHEN OLD.dead <> NEW.dead OR (OLD.error IS NULL) <> (NEW.error IS NULL) BEGIN INSERT INTO account_checks (subject_id, changes) SELECT id, 1 FROM (SELECT id FROM sources WHERE owner_id = NEW.owner_id AND instr(shown_props, '"' || NEW.id || '"') > 0 UNION ALL SELECT id FROM workflows WHERE owner_id = NEW.owner_id AND instr(steps, '"' || NEW.id || '"') > 0) WHERE true ON CONFLICT (subject_id) DO UPDATE SET changes = changes + 1; END;
--> statement-breakpoint
CREATE TRIGGER alerts_of_sources_out AFTER DELETE ON sources BEGIN DELETE FROM alerts WHERE subject_id = OLD.id; DELETE FROM account_checks WHERE subject_id = OLD.id; END;
--> statement-breakpoint
CREATE TRIGGER alerts_of_workflows_out AFTER DELETE ON workflows BEGIN DELETE FROM alerts WHERE subject_id = OLD.id; DELETE FROM account_checks WHERE subject_id = OLD.id; END;
--> statement-breakpoint
CREATE TRIGGER alerts_of_webhooks_out AFTER DELETE ON webhooks BEGIN DELETE FROM alerts WHERE subject_id = OLD.id; END;

-- Which sources wake on the events of an account, as the sources say it: whatever changes them changes this with them.
CREATE TRIGGER apphooks_in AFTER INSERT ON sources WHEN NEW.apphooks <> '{}' BEGIN INSERT INTO apphooks (account_id, source_id, event_names) SELECT key, NEW.id, value FROM json_each(NEW.apphooks); END;
--> statement-breakpoint
CREATE TRIGGER apphooks_changed AFTER UPDATE OF apphooks ON sources WHEN OLD.apphooks <> NEW.apphooks BEGIN DELETE FROM apphooks WHERE source_id = OLD.id; INSERT INTO apphooks (account_id, source_id, event_names) SELECT key, NEW.id, value FROM json_each(NEW.apphooks); END;
--> statement-breakpoint
CREATE TRIGGER apphooks_out AFTER DELETE ON sources WHEN OLD.apphooks <> '{}' BEGIN DELETE FROM apphooks WHERE source_id = OLD.id; END;

-- Counts that lists show, kept by the writes themselves: no list reads all that it counts.
CREATE TRIGGER sources_counted_in AFTER INSERT ON sources WHEN NEW.state = 'live' BEGIN INSERT INTO owned_counts (owner_id, kind, count) VALUES (NEW.owner_id, 'source', 1) ON CONFLICT (owner_id, kind) DO UPDATE SET count = count + 1; END;
--> statement-breakpoint
CREATE TRIGGER sources_counted_shown AFTER UPDATE OF state ON sources WHEN OLD.state <> 'live' AND NEW.state = 'live' BEGIN INSERT INTO owned_counts (owner_id, kind, count) VALUES (NEW.owner_id, 'source', 1) ON CONFLICT (owner_id, kind) DO UPDATE SET count = count + 1; END;
--> statement-breakpoint
CREATE TRIGGER sources_counted_hidden AFTER UPDATE OF state ON sources WHEN OLD.state = 'live' AND NEW.state <> 'live' BEGIN UPDATE owned_counts SET count = count - 1 WHERE owner_id = OLD.owner_id AND kind = 'source'; END;
--> statement-breakpoint
CREATE TRIGGER sources_counted_out AFTER DELETE ON sources WHEN OLD.state = 'live' BEGIN UPDATE owned_counts SET count = count - 1 WHERE owner_id = OLD.owner_id AND kind = 'source'; END;
--> statement-breakpoint
INSERT INTO owned_counts (owner_id, kind, count)
	SELECT owner_id, 'source', count(*) FROM sources WHERE state = 'live' GROUP BY owner_id;
--> statement-breakpoint
CREATE TRIGGER webhooks_counted_in AFTER INSERT ON webhooks BEGIN INSERT INTO owned_counts (owner_id, kind, count) VALUES (NEW.owner_id, 'webhook', 1) ON CONFLICT (owner_id, kind) DO UPDATE SET count = count + 1; END;
--> statement-breakpoint
CREATE TRIGGER webhooks_counted_out AFTER DELETE ON webhooks BEGIN UPDATE owned_counts SET count = count - 1 WHERE owner_id = OLD.owner_id AND kind = 'webhook'; END;
--> statement-breakpoint
INSERT INTO owned_counts (owner_id, kind, count)
	SELECT owner_id, 'webhook', count(*) FROM webhooks GROUP BY owner_id;
--> statement-breakpoint
CREATE TRIGGER data_stores_counted_in AFTER INSERT ON data_stores BEGIN INSERT INTO owned_counts (owner_id, kind, count) VALUES (NEW.owner_id, 'data_store', 1) ON CONFLICT (owner_id, kind) DO UPDATE SET count = count + 1; END;
--> statement-breakpoint
CREATE TRIGGER data_stores_counted_out AFTER DELETE ON data_stores BEGIN UPDATE owned_counts SET count = count - 1 WHERE owner_id = OLD.owner_id AND kind = 'data_store'; END;
--> statement-breakpoint
INSERT INTO owned_counts (owner_id, kind, count)
	SELECT owner_id, 'data_store', count(*) FROM data_stores GROUP BY owner_id;

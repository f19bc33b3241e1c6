-- Which apps a published component uses, and what its code reads of their accounts: from its definition, as it is published.
CREATE TRIGGER registry_entries_apps_in AFTER INSERT ON registry_entries BEGIN
  INSERT INTO component_apps (app, key, component_type, auth)
    SELECT json_extract(p.value, '$.app'), NEW.key, json_extract(c.definition, '$.type'), json_group_array(DISTINCT a.value) FILTER (WHERE a.value IS NOT NULL)
    FROM components AS c, json_each(c.definition, '$.props') AS p LEFT JOIN json_each(p.value, '$.auth') AS a
    WHERE c.id = NEW.component_id AND json_extract(p.value, '$.type') = 'app' AND json_type(p.value, '$.app') = 'text'
    GROUP BY json_extract(p.value, '$.app');
END;
--> statement-breakpoint
CREATE TRIGGER registry_entries_apps_again AFTER UPDATE OF component_id ON registry_entries BEGIN
  DELETE FROM component_apps WHERE key = OLD.key;
  INSERT INTO component_apps (app, key, component_type, auth)
    SELECT json_extract(p.value, '$.app'), NEW.key, json_extract(c.definition, '$.type'), json_group_array(DISTINCT a.value) FILTER (WHERE a.value IS NOT NULL)
    FROM components AS c, json_each(c.definition, '$.props') AS p LEFT JOIN json_each(p.value, '$.auth') AS a
    WHERE c.id = NEW.component_id AND json_extract(p.value, '$.type') = 'app' AND json_type(p.value, '$.app') = 'text'
    GROUP BY json_extract(p.value, '$.app');
END;
--> statement-breakpoint
CREATE TRIGGER registry_entries_apps_out AFTER DELETE ON registry_entries BEGIN
  DELETE FROM component_apps WHERE key = OLD.key;
END;
--> statement-breakpoint
INSERT INTO component_apps (app, key, component_type, auth)
  SELECT json_extract(p.value, '$.app'), e.key, json_extract(c.definition, '$.type'), '[]'
  FROM registry_entries AS e JOIN components AS c ON c.id = e.component_id, json_each(c.definition, '$.props') AS p
  WHERE json_extract(p.value, '$.type') = 'app' AND json_type(p.value, '$.app') = 'text'
  GROUP BY json_extract(p.value, '$.app'), e.key;

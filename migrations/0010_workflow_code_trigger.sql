-- What lets a workflow be of another deployment without saying what that is made of, has it asked.
CREATE TRIGGER workflow_code_unlisted AFTER UPDATE OF deployment_id ON workflows WHEN NOT EXISTS ( SELECT 1 FROM workflow_code WHERE workflow_id = NEW.id AND deployment_id = NEW.deployment_id ) BEGIN UPDATE workflows SET code_checked_at = 0 WHERE id = NEW.id; END;

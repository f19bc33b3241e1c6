-- Addresses that several users have already belong to the one who came first, and the others keep theirs.
INSERT INTO user_emails (email, user_id) SELECT lower(email), id FROM users WHERE true ORDER BY created_at, rowid ON CONFLICT (email) DO NOTHING;
--> statement-breakpoint
CREATE TRIGGER user_emails_in AFTER INSERT ON users BEGIN INSERT INTO user_emails (email, user_id) VALUES (lower(NEW.email), NEW.id) ON CONFLICT (email) DO NOTHING; END;

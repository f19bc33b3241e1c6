CREATE TABLE `user_emails` (
	`email` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL
);

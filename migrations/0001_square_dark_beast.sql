CREATE TABLE `owner_usage` (
	`owner_id` text NOT NULL,
	`day` text NOT NULL,
	`invocations` integer NOT NULL,
	`compute_ms` integer NOT NULL,
	`credits` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `day`)
);

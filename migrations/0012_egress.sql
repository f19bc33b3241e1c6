CREATE TABLE `egress_usage` (
	`owner_id` text NOT NULL,
	`day` text NOT NULL,
	`requests` integer NOT NULL,
	`sent_bytes` integer NOT NULL,
	`received_bytes` integer NOT NULL,
	`unmeasured` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `day`)
);

CREATE TABLE `registry_indexed` (
	`key` text PRIMARY KEY NOT NULL,
	`component_id` text NOT NULL,
	`index_version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `registry_spellings` (
	`spelling` text NOT NULL,
	`word` text NOT NULL,
	PRIMARY KEY(`spelling`, `word`)
);
--> statement-breakpoint
CREATE TABLE `registry_words` (
	`word` text PRIMARY KEY NOT NULL,
	`term` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `registry_words_by_term` ON `registry_words` (`term`);--> statement-breakpoint
CREATE INDEX `registry_terms_weighed` ON `registry_terms` (`term`,`key`,`weight`);
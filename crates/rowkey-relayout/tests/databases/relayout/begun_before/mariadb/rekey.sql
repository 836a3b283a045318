-- Left by the version of commit 5a57757 on MariaDB 10.11.19: a rekey; it was killed in the phase backfill.
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_ENGINE_SUBSTITUTION';
SET foreign_key_checks = 0;
CREATE TABLE `reply` (
  `code` varchar(8) NOT NULL,
  `ticket_id` bigint(20) NOT NULL,
  PRIMARY KEY (`code`),
  KEY `reply_by_ticket` (`ticket_id`),
  CONSTRAINT `reply_ticket` FOREIGN KEY (`ticket_id`) REFERENCES `ticket` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `reply_rowkey_done` (
  `one` tinyint(4) NOT NULL,
  `key_1` varchar(8) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `reply_rowkey_new` (
  `code` varchar(8) NOT NULL,
  `ticket_id_key` binary(16) NOT NULL,
  `ticket_id_before` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`code`),
  KEY `reply_by_ticket` (`ticket_id_key`),
  CONSTRAINT `reply_ticket_rowkey` FOREIGN KEY (`ticket_id_key`) REFERENCES `ticket_rowkey_new` (`id_key`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `rowkey_id_map` (
  `table_name` varchar(64) NOT NULL,
  `old` varchar(191) NOT NULL,
  `new` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`table_name`,`old`),
  UNIQUE KEY `new` (`table_name`,`new`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `rowkey_relayout` (
  `one` int(11) NOT NULL,
  `plan_hash` varchar(64) NOT NULL,
  `phase` varchar(64) NOT NULL,
  `is_done` int(11) NOT NULL,
  `catalog` varchar(64) NOT NULL,
  `plan_text` longtext NOT NULL,
  `tables` longtext NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `rowkey_swapped` (
  `one` tinyint(4) NOT NULL,
  `is_swapped` tinyint(4) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `rowkey_swapped_yes` (
  `one` tinyint(4) NOT NULL,
  `is_swapped` tinyint(4) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `ticket` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `title` varchar(40) NOT NULL,
  `created_at` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `ticket_rowkey_done` (
  `one` tinyint(4) NOT NULL,
  `key_1` bigint(20) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `ticket_rowkey_new` (
  `id_key` binary(16) NOT NULL,
  `title` varchar(40) NOT NULL,
  `created_at` datetime(3) DEFAULT NULL,
  `id_before` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `reply` VALUES
('r1', '1'),
('r2', '1'),
('r3', '2'),
('r4', '3'),
('r5', '3'),
('r6', '3'),
('r7', '4'),
('r8', '5');
INSERT INTO `rowkey_id_map` VALUES
('ticket', '1', '01999fa4-c600-7307-a1ed-3453cc4bca6e'),
('ticket', '2', '0199a4cb-2200-732b-89b9-7a3dac6156ef'),
('ticket', '3', '0199a9f1-7e00-7844-aae9-3401b222ee17'),
('ticket', '4', '0199af17-da00-7a07-84ba-c423997677cf'),
('ticket', '5', '0199b43e-3600-77ca-b5e1-527ea55d1d9e');
INSERT INTO `rowkey_relayout` VALUES
('1', '0ecd701478c65e3896d42686fd4564523b42bb2cce3f0baf580a9a17c0120885', 'backfill', '0', '6233f6e759757b51a2cb1563c8bd240a090b01b6e48c1ee59a7c3e7083137d51', 'version = 1
backend = "mariadb"
catalog = "6233f6e759757b51a2cb1563c8bd240a090b01b6e48c1ee59a7c3e7083137d51"

[key]
table = "ticket"
column = "id"
format = "uuid-v7"
to = "uuid"
becomes = "id_key"
created = "created_at"

[[reference]]
table = "reply"
column = "ticket_id"
becomes = "ticket_id_key"
asserted = true

[policy]
old-programs = "rename"
batch-rows = 50000
pause-ms = 0
lock-timeout-ms = 1000
lock-attempts = 60
', '[{"name":"reply","columns":[{"name":"code","sql_type":"varchar(8)","is_nullable":false,"default":null,"generated":"","collation":"utf8mb4_bin","comment":null},{"name":"ticket_id","sql_type":"bigint(20)","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"PRIMARY","columns":["code"],"is_primary":true,"definition":""}],"indexes":[{"name":"reply_by_ticket","columns":["ticket_id"],"is_unique":false,"is_plain":true,"definition":"KEY reply_by_ticket (ticket_id)"}],"foreign_keys":[{"name":"reply_ticket","columns":["ticket_id"],"target":"ticket","target_columns":["id"],"on_update":"RESTRICT","on_delete":"CASCADE","attributes":""}],"dependents":[],"options":"InnoDB"},{"name":"ticket","columns":[{"name":"id","sql_type":"bigint(20)","is_nullable":false,"default":null,"generated":"auto_increment","collation":null,"comment":null},{"name":"title","sql_type":"varchar(40)","is_nullable":false,"default":null,"generated":"","collation":"utf8mb4_bin","comment":null},{"name":"created_at","sql_type":"datetime(3)","is_nullable":true,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"PRIMARY","columns":["id"],"is_primary":true,"definition":""}],"indexes":[],"foreign_keys":[],"dependents":[],"options":"InnoDB"}]');
INSERT INTO `rowkey_swapped` VALUES
('1', '0');
INSERT INTO `rowkey_swapped_yes` VALUES
('1', '1');
INSERT INTO `ticket` VALUES
('1', 'ticket 1', '2025-10-01 12:00:00.000'),
('2', 'ticket 2', '2025-10-02 12:00:00.000'),
('3', 'ticket 3', '2025-10-03 12:00:00.000'),
('4', 'ticket 4', '2025-10-04 12:00:00.000'),
('5', 'ticket 5', '2025-10-05 12:00:00.000');
INSERT INTO `ticket_rowkey_new` VALUES
(0x01999FA4C6007307A1ED3453CC4BCA6E, 'ticket 1', '2025-10-01 12:00:00.000', NULL),
(0x0199A4CB2200732B89B97A3DAC6156EF, 'ticket 2', '2025-10-02 12:00:00.000', NULL),
(0x0199A9F17E007844AAE93401B222EE17, 'ticket 3', '2025-10-03 12:00:00.000', NULL),
(0x0199AF17DA007A0784BAC423997677CF, 'ticket 4', '2025-10-04 12:00:00.000', NULL),
(0x0199B43E360077CAB5E1527EA55D1D9E, 'ticket 5', '2025-10-05 12:00:00.000', NULL);
CREATE TRIGGER `ticket_rowkey_forward_delete` AFTER DELETE ON `ticket` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 0 THEN DELETE FROM `ticket_rowkey_new` WHERE `id_key` = (SELECT CASE WHEN CHAR_LENGTH(m.new) = 36 AND CONVERT(m.new USING ascii) COLLATE ascii_bin REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN UNHEX(REPLACE(m.new, '-', '')) END FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((OLD.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin LOCK IN SHARE MODE); END IF; END;
CREATE TRIGGER `ticket_rowkey_forward_insert` AFTER INSERT ON `ticket` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 0 THEN IF NEW.`id` IS NOT NULL AND (SELECT 1 FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin) IS NULL THEN INSERT INTO rowkey_id_map (table_name, old, new) VALUES ('ticket', CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin, COALESCE(CASE WHEN ((TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', NEW.`created_at`) DIV 1000)) BETWEEN 0 AND 281474976710655 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(CONCAT(UNHEX(LPAD(HEX(((TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', NEW.`created_at`) DIV 1000))), 12, '0')), CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 112), RANDOM_BYTES(1), CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7))), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END, CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(CONCAT(UNHEX(LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)), 12, '0')), CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 112), RANDOM_BYTES(1), CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7))), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii))) ON DUPLICATE KEY UPDATE rowkey_id_map.old = rowkey_id_map.old; END IF; INSERT INTO `ticket_rowkey_new` (`id_key`, `title`, `created_at`) VALUES ((SELECT CASE WHEN CHAR_LENGTH(m.new) = 36 AND CONVERT(m.new USING ascii) COLLATE ascii_bin REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN UNHEX(REPLACE(m.new, '-', '')) END FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin LOCK IN SHARE MODE), NEW.`title`, NEW.`created_at`) ON DUPLICATE KEY UPDATE `id_key` = VALUES(`id_key`), `title` = VALUES(`title`), `created_at` = VALUES(`created_at`); END IF; END;
CREATE TRIGGER `ticket_rowkey_forward_update` AFTER UPDATE ON `ticket` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 0 THEN IF NEW.`id` IS NOT NULL AND (SELECT 1 FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin) IS NULL THEN INSERT INTO rowkey_id_map (table_name, old, new) VALUES ('ticket', CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin, COALESCE(CASE WHEN ((TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', NEW.`created_at`) DIV 1000)) BETWEEN 0 AND 281474976710655 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(CONCAT(UNHEX(LPAD(HEX(((TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', NEW.`created_at`) DIV 1000))), 12, '0')), CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 112), RANDOM_BYTES(1), CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7))), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END, CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(CONCAT(UNHEX(LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)), 12, '0')), CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 112), RANDOM_BYTES(1), CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7))), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii))) ON DUPLICATE KEY UPDATE rowkey_id_map.old = rowkey_id_map.old; END IF; IF CAST(OLD.`id` AS BINARY) <> CAST(NEW.`id` AS BINARY) THEN UPDATE `ticket_rowkey_new` SET `id_key` = (SELECT CASE WHEN CHAR_LENGTH(m.new) = 36 AND CONVERT(m.new USING ascii) COLLATE ascii_bin REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN UNHEX(REPLACE(m.new, '-', '')) END FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin LOCK IN SHARE MODE), `title` = NEW.`title`, `created_at` = NEW.`created_at` WHERE `id_key` = (SELECT CASE WHEN CHAR_LENGTH(m.new) = 36 AND CONVERT(m.new USING ascii) COLLATE ascii_bin REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN UNHEX(REPLACE(m.new, '-', '')) END FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((OLD.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin LOCK IN SHARE MODE); END IF; INSERT INTO `ticket_rowkey_new` (`id_key`, `title`, `created_at`) VALUES ((SELECT CASE WHEN CHAR_LENGTH(m.new) = 36 AND CONVERT(m.new USING ascii) COLLATE ascii_bin REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN UNHEX(REPLACE(m.new, '-', '')) END FROM rowkey_id_map m FORCE INDEX (PRIMARY) WHERE m.table_name = 'ticket' AND m.old = CONVERT((NEW.`id` + 0) USING utf8mb4) COLLATE utf8mb4_bin LOCK IN SHARE MODE), NEW.`title`, NEW.`created_at`) ON DUPLICATE KEY UPDATE `id_key` = VALUES(`id_key`), `title` = VALUES(`title`), `created_at` = VALUES(`created_at`); END IF; END;
SET foreign_key_checks = 1;

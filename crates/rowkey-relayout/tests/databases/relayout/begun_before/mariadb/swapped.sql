-- Left by the version of commit 5a57757 on MariaDB 10.11.19: a relayout; it stopped after the phase swap.
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_ENGINE_SUBSTITUTION';
SET foreign_key_checks = 0;
CREATE TABLE `customer` (
  `id_key` binary(16) NOT NULL,
  `name` varchar(40) NOT NULL,
  `id_before` char(36) DEFAULT NULL,
  PRIMARY KEY (`id_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `customer_rowkey_done` (
  `one` tinyint(4) NOT NULL,
  `key_1` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `customer_rowkey_old` (
  `id` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` varchar(40) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `purchase` (
  `code` varchar(8) NOT NULL,
  `customer_id_key` binary(16) NOT NULL,
  `customer_id_before` char(36) DEFAULT NULL,
  PRIMARY KEY (`code`),
  KEY `purchase_by_customer` (`customer_id_key`),
  CONSTRAINT `purchase_customer_rowkey` FOREIGN KEY (`customer_id_key`) REFERENCES `customer` (`id_key`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `purchase_rowkey_done` (
  `one` tinyint(4) NOT NULL,
  `key_1` varchar(8) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `purchase_rowkey_old` (
  `code` varchar(8) NOT NULL,
  `customer_id` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`code`),
  KEY `purchase_by_customer` (`customer_id`),
  CONSTRAINT `purchase_customer` FOREIGN KEY (`customer_id`) REFERENCES `customer_rowkey_old` (`id`) ON DELETE CASCADE
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
CREATE TABLE `rowkey_swapped_no` (
  `one` tinyint(4) NOT NULL,
  `is_swapped` tinyint(4) NOT NULL,
  PRIMARY KEY (`one`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `customer` VALUES
(0x01995B40AC007C1E9A5BD3F0A1B2C3D4, 'customer 1', NULL),
(0x01996066880070AA8F0E0A5BE2C81190, 'customer 2', NULL),
(0x0199658C64007D02B1C4F7118E3A4B5C, 'customer 3', NULL),
(0x01996AB2400073E8A6D741C09D2E7F08, 'customer 4', NULL),
(0x01996FD81C007B4D8C2F5E6F7A8B9C0D, 'customer 5', NULL);
INSERT INTO `customer_rowkey_old` VALUES
('01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', 'customer 1'),
('01996066-8800-70aa-8f0e-0a5be2c81190', 'customer 2'),
('0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'customer 3'),
('01996ab2-4000-73e8-a6d7-41c09d2e7f08', 'customer 4'),
('01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d', 'customer 5');
INSERT INTO `purchase` VALUES
('p1', 0x01995B40AC007C1E9A5BD3F0A1B2C3D4, NULL),
('p2', 0x01995B40AC007C1E9A5BD3F0A1B2C3D4, NULL),
('p3', 0x01996066880070AA8F0E0A5BE2C81190, NULL),
('p4', 0x0199658C64007D02B1C4F7118E3A4B5C, NULL),
('p5', 0x0199658C64007D02B1C4F7118E3A4B5C, NULL),
('p6', 0x0199658C64007D02B1C4F7118E3A4B5C, NULL),
('p7', 0x01996AB2400073E8A6D741C09D2E7F08, NULL),
('p8', 0x01996FD81C007B4D8C2F5E6F7A8B9C0D, NULL);
INSERT INTO `purchase_rowkey_old` VALUES
('p1', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4'),
('p2', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4'),
('p3', '01996066-8800-70aa-8f0e-0a5be2c81190'),
('p4', '0199658c-6400-7d02-b1c4-f7118e3a4b5c'),
('p5', '0199658c-6400-7d02-b1c4-f7118e3a4b5c'),
('p6', '0199658c-6400-7d02-b1c4-f7118e3a4b5c'),
('p7', '01996ab2-4000-73e8-a6d7-41c09d2e7f08'),
('p8', '01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d');
INSERT INTO `rowkey_relayout` VALUES
('1', '35273cb62430265813c2476e3f9fbc597088d55e4c0bd3f5153abfe40c7e8387', 'swap', '1', 'f93b68c9f3268d18ad2e81757b16b8c130277ef063935e8ec5ecb4c25bc8d7b6', 'version = 1
backend = "mariadb"
catalog = "fa7a06f3ad20105f4eedfa0fd4dc6b579c00254c2768d156114cb63e55088932"

[key]
table = "customer"
column = "id"
format = "uuid-v7"
from = "text"
to = "uuid"
becomes = "id_key"

[[reference]]
table = "purchase"
column = "customer_id"
becomes = "customer_id_key"
asserted = true

[policy]
old-programs = "rename"
batch-rows = 50000
pause-ms = 0
lock-timeout-ms = 1000
lock-attempts = 60
', '[{"name":"customer","columns":[{"name":"id","sql_type":"char(36)","is_nullable":false,"default":null,"generated":"","collation":"ascii_bin","comment":null},{"name":"name","sql_type":"varchar(40)","is_nullable":false,"default":null,"generated":"","collation":"utf8mb4_bin","comment":null}],"keys":[{"name":"PRIMARY","columns":["id"],"is_primary":true,"definition":""}],"indexes":[],"foreign_keys":[],"dependents":[],"options":"InnoDB"},{"name":"purchase","columns":[{"name":"code","sql_type":"varchar(8)","is_nullable":false,"default":null,"generated":"","collation":"utf8mb4_bin","comment":null},{"name":"customer_id","sql_type":"char(36)","is_nullable":false,"default":null,"generated":"","collation":"ascii_bin","comment":null}],"keys":[{"name":"PRIMARY","columns":["code"],"is_primary":true,"definition":""}],"indexes":[{"name":"purchase_by_customer","columns":["customer_id"],"is_unique":false,"is_plain":true,"definition":"KEY purchase_by_customer (customer_id)"}],"foreign_keys":[{"name":"purchase_customer","columns":["customer_id"],"target":"customer","target_columns":["id"],"on_update":"RESTRICT","on_delete":"CASCADE","attributes":""}],"dependents":[],"options":"InnoDB"}]');
INSERT INTO `rowkey_swapped` VALUES
('1', '1');
INSERT INTO `rowkey_swapped_no` VALUES
('1', '0');
CREATE TRIGGER `customer_rowkey_back_delete` AFTER DELETE ON `customer` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN DELETE FROM `customer_rowkey_old` WHERE `id` = CASE WHEN LENGTH(OLD.`id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(OLD.`id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END; END IF; END;
CREATE TRIGGER `customer_rowkey_back_insert` AFTER INSERT ON `customer` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN INSERT INTO `customer_rowkey_old` (`id`, `name`) VALUES (CASE WHEN LENGTH(NEW.`id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END, NEW.`name`) ON DUPLICATE KEY UPDATE `id` = VALUES(`id`), `name` = VALUES(`name`); END IF; END;
CREATE TRIGGER `customer_rowkey_back_update` AFTER UPDATE ON `customer` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN IF CAST(OLD.`id_key` AS BINARY) <> CAST(NEW.`id_key` AS BINARY) THEN UPDATE `customer_rowkey_old` SET `id` = CASE WHEN LENGTH(NEW.`id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END, `name` = NEW.`name` WHERE `id` = CASE WHEN LENGTH(OLD.`id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(OLD.`id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END; END IF; INSERT INTO `customer_rowkey_old` (`id`, `name`) VALUES (CASE WHEN LENGTH(NEW.`id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END, NEW.`name`) ON DUPLICATE KEY UPDATE `id` = VALUES(`id`), `name` = VALUES(`name`); END IF; END;
CREATE TRIGGER `purchase_rowkey_back_delete` AFTER DELETE ON `purchase` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN DELETE FROM `purchase_rowkey_old` WHERE `code` = OLD.`code`; END IF; END;
CREATE TRIGGER `purchase_rowkey_back_insert` AFTER INSERT ON `purchase` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN INSERT INTO `purchase_rowkey_old` (`code`, `customer_id`) VALUES (NEW.`code`, CASE WHEN LENGTH(NEW.`customer_id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`customer_id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END) ON DUPLICATE KEY UPDATE `code` = VALUES(`code`), `customer_id` = VALUES(`customer_id`); END IF; END;
CREATE TRIGGER `purchase_rowkey_back_update` AFTER UPDATE ON `purchase` FOR EACH ROW BEGIN IF (SELECT is_swapped FROM rowkey_swapped LOCK IN SHARE MODE) = 1 THEN IF CAST(OLD.`code` AS BINARY) <> CAST(NEW.`code` AS BINARY) THEN UPDATE `purchase_rowkey_old` SET `code` = NEW.`code`, `customer_id` = CASE WHEN LENGTH(NEW.`customer_id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`customer_id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END WHERE `code` = OLD.`code`; END IF; INSERT INTO `purchase_rowkey_old` (`code`, `customer_id`) VALUES (NEW.`code`, CASE WHEN LENGTH(NEW.`customer_id_key`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(NEW.`customer_id_key`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END) ON DUPLICATE KEY UPDATE `code` = VALUES(`code`), `customer_id` = VALUES(`customer_id`); END IF; END;
SET foreign_key_checks = 1;

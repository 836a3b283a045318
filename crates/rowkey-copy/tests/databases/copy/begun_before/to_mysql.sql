-- Left by the version of commit 5a57757 on MySQL 9.7.4: a copy; it stopped at a row that the target refused.
SET foreign_key_checks = 0;
CREATE TABLE `customer` (
  `id` binary(16) NOT NULL,
  `name` varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
CREATE TABLE `purchase` (
  `code` varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `customer_id` binary(16) NOT NULL,
  `note` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
CREATE TABLE `rowkey_copy` (
  `job` varchar(64) NOT NULL,
  `number` int NOT NULL,
  `part` int NOT NULL,
  `state` varchar(20) NOT NULL,
  `row_count` bigint NOT NULL,
  `row_sum` varchar(32) NOT NULL,
  `last_key` longtext NOT NULL,
  `until_key` longtext NOT NULL,
  PRIMARY KEY (`job`,`number`,`part`)
) ENGINE=InnoDB DEFAULT CHARSET=ascii;
INSERT INTO `customer` VALUES
(0x01995B40AC007C1E9A5BD3F0A1B2C3D4, 'customer 1'),
(0x01996066880070AA8F0E0A5BE2C81190, 'customer 2'),
(0x0199658C64007D02B1C4F7118E3A4B5C, 'customer 3'),
(0x01996AB2400073E8A6D741C09D2E7F08, 'customer 4'),
(0x01996FD81C007B4D8C2F5E6F7A8B9C0D, 'customer 5');
INSERT INTO `purchase` VALUES
('p1', 0x01995B40AC007C1E9A5BD3F0A1B2C3D4, 'note p1'),
('p2', 0x01995B40AC007C1E9A5BD3F0A1B2C3D4, 'note p2'),
('p3', 0x01996066880070AA8F0E0A5BE2C81190, 'note p3'),
('p4', 0x0199658C64007D02B1C4F7118E3A4B5C, 'note p4'),
('p5', 0x0199658C64007D02B1C4F7118E3A4B5C, 'note p5'),
('p6', 0x0199658C64007D02B1C4F7118E3A4B5C, 'note p6');
INSERT INTO `rowkey_copy` VALUES
('12e6e5d125535dc84b98a0bf683c63847a78c144d5dabe586f601c64e43d4e1d', '0', '0', 'copied', '5', 'fd49b137946c67bfd4af427fc2f7f206', '0b01996fd81c007b4d8c2f5e6f7a8b9c0d', ''),
('12e6e5d125535dc84b98a0bf683c63847a78c144d5dabe586f601c64e43d4e1d', '1', '0', 'begun', '6', '534efc69182ee48ad22565f50ff8dcf1', '0600000000000000027036', '');
SET foreign_key_checks = 1;

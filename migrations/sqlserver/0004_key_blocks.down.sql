DROP TABLE key_blocks;

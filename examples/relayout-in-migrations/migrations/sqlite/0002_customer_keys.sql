-- Fails until the change of the key is done, which is no SQL of a file.
SELECT id_key FROM customers WHERE 1 = 0;

//! Every statement of this crate, one set per database.
//!
//! The tables are in the folder `migrations`. Each value is bound once, in the order of the
//! comments below.

/// The statements of one database.
#[derive(Debug)]
pub struct Statements {
    /// command id → entity id, command name
    pub find_identifier: &'static str,
    /// command id, command name
    pub reserve_identifier: &'static str,
    /// entity id, command id
    pub complete_identifier: &'static str,
    /// entity id
    pub forget_identifiers: &'static str,
    /// count to keep
    pub prune_identifiers: &'static str,
    /// command name, count to keep
    pub prune_identifiers_of_name: &'static str,
    /// block size, group, largest first number → the first number after the new block
    pub advance_numbers: &'static str,
    /// group; does nothing if the group is there
    pub begin_numbers: &'static str,
}

/// PostgreSQL and SQLite.
pub(crate) const POSTGRES_AND_SQLITE: Statements = Statements {
    find_identifier: "SELECT entity_id, command_name FROM creation_identifiers \
                      WHERE command_id = $1 AND entity_id IS NOT NULL",
    reserve_identifier: "INSERT INTO creation_identifiers (command_id, command_name) \
                         VALUES ($1, $2)",
    complete_identifier: "UPDATE creation_identifiers SET entity_id = $1 WHERE command_id = $2",
    forget_identifiers: "DELETE FROM creation_identifiers WHERE entity_id = $1",
    prune_identifiers: "DELETE FROM creation_identifiers WHERE arrival <= \
                        (SELECT arrival FROM creation_identifiers \
                         ORDER BY arrival DESC LIMIT 1 OFFSET $1)",
    prune_identifiers_of_name: "DELETE FROM creation_identifiers \
                                WHERE command_name = $1 AND arrival <= \
                                (SELECT arrival FROM creation_identifiers \
                                 WHERE command_name = $1 \
                                 ORDER BY arrival DESC LIMIT 1 OFFSET $2)",
    advance_numbers: "UPDATE key_blocks SET next_key = next_key + $1 \
                   WHERE key_group = $2 AND next_key <= $3 RETURNING next_key",
    begin_numbers: "INSERT INTO key_blocks (key_group, next_key) VALUES ($1, 1) \
                 ON CONFLICT (key_group) DO NOTHING",
};

/// MySQL and MariaDB.
///
/// Neither takes a subquery with a LIMIT on the table that it deletes from, unless it is a derived
/// table that is read first. MySQL has no UPDATE that returns rows: the number is in the OK packet.
pub(crate) const MYSQL: Statements = Statements {
    find_identifier: "SELECT entity_id, command_name FROM creation_identifiers \
                      WHERE command_id = ? AND entity_id IS NOT NULL",
    reserve_identifier: "INSERT INTO creation_identifiers (command_id, command_name) \
                         VALUES (?, ?)",
    complete_identifier: "UPDATE creation_identifiers SET entity_id = ? WHERE command_id = ?",
    forget_identifiers: "DELETE FROM creation_identifiers WHERE entity_id = ?",
    prune_identifiers: "DELETE old FROM creation_identifiers AS old JOIN \
                        (SELECT arrival FROM creation_identifiers \
                         ORDER BY arrival DESC LIMIT 1 OFFSET ?) AS newest_old \
                        ON old.arrival <= newest_old.arrival",
    prune_identifiers_of_name: "DELETE old FROM creation_identifiers AS old JOIN \
                                (SELECT command_name, arrival FROM creation_identifiers \
                                 WHERE command_name = ? \
                                 ORDER BY arrival DESC LIMIT 1 OFFSET ?) AS newest_old \
                                ON old.command_name = newest_old.command_name \
                                AND old.arrival <= newest_old.arrival",
    advance_numbers: "UPDATE key_blocks SET next_key = LAST_INSERT_ID(next_key + ?) \
                   WHERE key_group = ? AND next_key <= ?",
    begin_numbers: "INSERT INTO key_blocks (key_group, next_key) VALUES (?, 1) \
                 ON DUPLICATE KEY UPDATE next_key = next_key",
};

/// SQL Server.
///
/// tiberius sends text as `nvarchar`; without the cast, the server would convert the column of
/// names.
///
/// The number of a block is read back while the row is locked. `UPDATE … OUTPUT` is shorter, but
/// some servers that speak TDS compute the output before they have waited for the row.
pub(crate) const SQL_SERVER: Statements = Statements {
    find_identifier: "SELECT entity_id, command_name FROM creation_identifiers \
                      WHERE command_id = @P1 AND entity_id IS NOT NULL",
    reserve_identifier: "INSERT INTO creation_identifiers (command_id, command_name) \
                         VALUES (@P1, @P2)",
    complete_identifier: "UPDATE creation_identifiers SET entity_id = @P1 \
                          WHERE command_id = @P2",
    forget_identifiers: "DELETE FROM creation_identifiers WHERE entity_id = @P1",
    prune_identifiers: "DELETE FROM creation_identifiers WHERE arrival <= \
                        (SELECT arrival FROM creation_identifiers \
                         ORDER BY arrival DESC OFFSET @P1 ROWS FETCH NEXT 1 ROWS ONLY)",
    prune_identifiers_of_name: "DELETE FROM creation_identifiers \
                                WHERE command_name = CAST(@P1 AS varchar(100)) AND arrival <= \
                                (SELECT arrival FROM creation_identifiers \
                                 WHERE command_name = CAST(@P1 AS varchar(100)) \
                                 ORDER BY arrival DESC OFFSET @P2 ROWS FETCH NEXT 1 ROWS ONLY)",
    advance_numbers: "UPDATE key_blocks SET next_key = next_key + @P1 \
                   WHERE key_group = @P2 AND next_key <= @P3; \
                   DECLARE @changed int = @@ROWCOUNT; \
                   SELECT next_key FROM key_blocks WHERE key_group = @P2 AND @changed = 1",
    begin_numbers: "INSERT INTO key_blocks (key_group, next_key) SELECT @P1, 1 \
                 WHERE NOT EXISTS (SELECT 1 FROM key_blocks WITH (UPDLOCK, HOLDLOCK) \
                                   WHERE key_group = @P1)",
};

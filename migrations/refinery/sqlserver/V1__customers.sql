CREATE TABLE customers (
    id uniqueidentifier NOT NULL PRIMARY KEY,
    -- 200 characters: SQL Server counts UTF-16 units.
    name nvarchar(400) NOT NULL,
    referred_by uniqueidentifier NULL REFERENCES customers (id)
);

CREATE TABLE customers (
    id uniqueidentifier NOT NULL PRIMARY KEY,
    -- 200 characters: it is units of UTF-16 that are counted here.
    name nvarchar(400) NOT NULL,
    referred_by uniqueidentifier NULL REFERENCES customers (id)
);

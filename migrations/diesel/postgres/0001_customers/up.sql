CREATE TABLE customers (
    id uuid PRIMARY KEY,
    name varchar(200) NOT NULL,
    referred_by uuid NULL REFERENCES customers (id)
);

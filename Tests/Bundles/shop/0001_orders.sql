-- The shop's own table.
CREATE SCHEMA shop;
CREATE TABLE shop.orders (
  id int PRIMARY KEY,
  customer text NOT NULL,
  cents int NOT NULL
);

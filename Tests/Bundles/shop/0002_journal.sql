-- What `runner clock` shows beside the functions' runs.
CREATE TABLE shop.closings (
  at timestamptz PRIMARY KEY,
  orders int NOT NULL
);
CREATE FUNCTION shop.journal(after timestamptz, through timestamptz)
RETURNS TABLE ("time" timestamptz, function text, line text, minor boolean, orders int) LANGUAGE sql STABLE AS $$
  SELECT at, 'bookkeeper', format('closed the day with %s orders', orders), orders = 0, orders
  FROM shop.closings WHERE at > after AND at <= through
$$;

-- Compatible
-- `push_account` of 1011_eligibility, which reads of a person only what says whether the address is verified. To turn the
-- whole row into JSON took two thirds of the look-up, for each person of an audience who is known by an address.
--
-- An app's people have one of these columns, or none: a column that `users` lacks is found outside of it, as an
-- object that no such column holds. The rule is that of `push_is_verified`. `users` may have a column `address`, which
-- would win over the parameter.
CREATE OR REPLACE FUNCTION push_account(address text) RETURNS TABLE (id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT u.id
  FROM (VALUES ('{"push": "lacking"}'::jsonb)) AS lacking (nothing)
  CROSS JOIN LATERAL (
    SELECT nothing AS is_email_verified, nothing AS email_verified, nothing AS email_confirmed_at,
      nothing AS email_verified_at
  ) absent
  CROSS JOIN LATERAL (
    SELECT p.id, p.email, to_jsonb(is_email_verified) AS marked, to_jsonb(email_verified) AS marked_too,
      to_jsonb(email_confirmed_at) AS confirmed, to_jsonb(email_verified_at) AS verified
    FROM users p
    WHERE lower(p.email COLLATE "C") = lower(push_account.address COLLATE "C")
  ) u
  WHERE CASE
    WHEN u.marked IS DISTINCT FROM nothing THEN u.marked = 'true'
    WHEN u.marked_too IS DISTINCT FROM nothing THEN u.marked_too = 'true'
    WHEN u.confirmed IS DISTINCT FROM nothing THEN u.confirmed <> 'null'
    WHEN u.verified IS DISTINCT FROM nothing THEN u.verified <> 'null'
    ELSE true END
  ORDER BY u.email = push_account.address DESC, u.id LIMIT 1
$$;

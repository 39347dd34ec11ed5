-- Counts again what was committed and what came of it. Plain SQL for psql, without a function of the product's.
--
-- In the working directory: effects.txt, pushes.ndjson, faults.txt. Each line of the answer is FIGURE|WHAT; the last is
-- counts|JSON. A row of letters, parcels and cards is its own ledger, and so is a row of chaos_posts of what its writer
-- wrote for the bundle in the same transaction.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;

CREATE TEMP TABLE effects (function text, event text, key text, number bigint, attempt integer, at float8);
\copy effects FROM 'effects.txt' (DELIMITER ' ')
CREATE TEMP TABLE journal (line text);
\copy journal FROM 'pushes.ndjson' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
-- `ended` is when everything was as before.
-- By the campaign's own clock; `ahead` is by how much another was wrong meanwhile.
CREATE TEMP TABLE faults (kind text, began float8, ended float8, ahead float8);
\copy faults FROM 'faults.txt' (DELIMITER ' ')

-- A time as a clock would have said it that is never wrong.
CREATE FUNCTION pg_temp.mended(said timestamptz) RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT extract(epoch FROM said)::float8 - coalesce((
    SELECT ahead FROM pg_temp.faults
    WHERE ahead <> 0 AND extract(epoch FROM said)::float8 - ahead BETWEEN began - 1 AND ended LIMIT 1), 0)
$$;

-- Events of the ledgers ----------------------------------------------------------------------------------------------

-- One row for each row and function that has to hear of it.
CREATE TEMP TABLE due AS
SELECT function, number, key, way, coalesce(xid::text, changed::text) AS xid, seen,
  pg_temp.mended(began) AS began, pg_temp.mended(pg_xact_commit_timestamp(changed)) AS at
FROM (
  SELECT function, number, key, way, xid, began, seen, xmin AS changed
  FROM letters, unnest(ARRAY['pass', 'block', 'together', 'remote']) AS function
  UNION ALL SELECT 'pass', number, key, way, xid, began, seen, xmin FROM parcels
  UNION ALL SELECT 'noted', number, key, way, NULL, NULL, NULL, xmin FROM parcels WHERE note IS NOT NULL
  UNION ALL SELECT 'block', number, key, way, xid, began, seen, xmin FROM cards
) AS rows;
CREATE INDEX ON due (function, number);

CREATE TEMP TABLE heard AS
SELECT function, number, min(at) AS at, min(attempt) AS attempt, count(*) AS times, count(DISTINCT event) AS events,
  string_agg(DISTINCT event, ', ') AS ids
FROM effects GROUP BY function, number;
CREATE INDEX ON heard (function, number);

-- Where an event is that has not been handled.
CREATE TEMP TABLE places AS
SELECT function, (record ->> 'number')::bigint AS number, format('waits as %s.%s', partition, id) AS place
FROM runner.events WHERE record ? 'number'
UNION ALL
SELECT function, (record ->> 'number')::bigint, format('is tried again as %s.%s, %s: %s', partition, id, code, error)
FROM runner.retries WHERE record ? 'number'
UNION ALL
SELECT function, (record ->> 'number')::bigint, format('dead letter %s.%s, %s: %s', partition, id, code, error)
FROM runner.dead_letters WHERE record ? 'number';
CREATE INDEX ON places (function, number);

SELECT 'lost', format('row %s for %s, key %s, %s, transaction %s, committed %s: %s', d.number, d.function, d.key, d.way,
  d.xid, to_timestamp(d.at), coalesce(p.place, 'nowhere'))
FROM due AS d LEFT JOIN heard AS h USING (function, number) LEFT JOIN places AS p USING (function, number)
WHERE h.number IS NULL ORDER BY d.at;

-- The longest pauses of each event's failed attempts, all together; and how long a key can have waited for them, where
-- its events wait for each other: not longer than since the one before.
CREATE TEMP TABLE pauses AS
SELECT function, number, key, at, (4 ^ attempt - 1) / 3 AS own,
  least((4 ^ attempt - 1) / 3, at - lag(at) OVER (PARTITION BY function, key ORDER BY at)) AS key_waited
FROM (SELECT DISTINCT ON (function, number) * FROM effects ORDER BY function, number, at) AS first;
CREATE INDEX ON pauses (function, number);
CREATE INDEX ON pauses (function, key, at);

-- Ten seconds from the commit, or from the end of the last fault that had begun before it was handled; and the pauses
-- that failed attempts have taken since: of the event's own, and where a failed event holds its key, of all of its key.
-- What a target suffers is a fault for its function alone.
CREATE TEMP TABLE delays AS
SELECT d.function, d.number, d.key, d.way, d.xid, h.at AS handled, h.at - s.at AS seconds, 10 + greatest(p.own, CASE
  WHEN d.function = 'block' THEN (
    SELECT sum(k.key_waited) FROM pauses AS k
    WHERE k.function = d.function AND k.key = d.key AND k.at > s.at AND k.at <= h.at) END) AS limit
FROM due AS d JOIN heard AS h USING (function, number) JOIN pauses AS p USING (function, number)
CROSS JOIN LATERAL (
  SELECT greatest(d.at, (SELECT max(f.ended) FROM faults AS f
    WHERE f.began < h.at AND (f.kind NOT LIKE 'target%' OR d.function = 'remote'))) AS at) AS s;

SELECT 'overdue', format('row %s for %s, key %s, %s, transaction %s: %s s', number, function, key, way, xid,
  round(seconds::numeric, 1))
FROM delays WHERE seconds > "limit" ORDER BY handled;

SELECT 'twice', format('row %s for %s as events %s', number, function, ids) FROM heard WHERE events > 1;

-- The events of each key as they came, without those that were tried again.
CREATE TEMP TABLE turns AS
SELECT d.function, d.key, d.number, d.xid::xid8, d.seen, d.began, d.at AS committed, h.at,
  row_number() OVER (PARTITION BY d.function, d.key ORDER BY h.at) AS turn
FROM due AS d JOIN heard AS h USING (function, number)
WHERE d.seen IS NOT NULL AND NOT EXISTS (
  SELECT FROM effects AS e WHERE e.function = d.function AND e.number = d.number AND e.attempt > 0);
CREATE INDEX ON turns (function, key, turn);

-- Compared with the next few: what had committed when the row's transaction began had to come before it. A transaction
-- sees its own rows, too.
SELECT 'misplaced', format('row %s for %s, key %s, came %s s after row %s, which began %s s after its commit', l.number,
  l.function, l.key, round((l.at - e.at)::numeric, 3), e.number, round((e.began - l.committed)::numeric, 3))
FROM turns AS e JOIN turns AS l ON l.function = e.function AND l.key = e.key AND l.turn > e.turn AND l.turn <= e.turn + 100
WHERE l.at > e.at AND l.xid <> e.xid AND pg_visible_in_snapshot(l.xid, e.seen);

SELECT 'charged', format('attempt %s of %s.%s, which its target was not reached for: %s', attempt, partition, id, error)
FROM runner.history WHERE function = 'remote' AND code = 'TARGET_AWAY';

SELECT 'untrue', format('%s heard of row %s, which was not committed', h.function, h.number)
FROM heard AS h LEFT JOIN due AS d USING (function, number) WHERE d.number IS NULL;

SELECT 'lost', format('dead letter %s.%s of %s, %s: %s', partition, id, function, code, error)
FROM runner.dead_letters;

-- Pushes of the bundle -----------------------------------------------------------------------------------------------

-- What the phones got; a badge alone has no alert.
CREATE TEMP TABLE pushes AS
SELECT (p ->> 'seq')::bigint AS seq, p ->> 'token' AS token, p ->> 'collapseID' AS collapse,
  extract(epoch FROM (p ->> 'receivedAt')::timestamptz)::float8 AS at, p #>> '{payload,type}' AS kind,
  coalesce(p #>> '{payload,notificationId}', p #>> '{payload,notification_id}')::uuid AS notification,
  (p #>> '{payload,feedbackId}')::uuid AS feedback, (p #>> '{payload,aps,badge}')::integer AS badge,
  p #> '{payload,aps,alert}' IS NOT NULL AS is_seen
FROM (SELECT line::jsonb AS p FROM journal) AS lines WHERE (p ->> 'taken')::boolean;
CREATE INDEX ON pushes (token, notification);
CREATE INDEX ON pushes (token, feedback, kind);

-- One row for each post and device that has to show it. A device that was switched off has to show it, too: all live.
-- Nobody has to be pushed what they have read meanwhile.
CREATE TEMP TABLE tellings AS
SELECT p.number, p.what, p.row_id, p.feedback, p.person, d.token, p.xmin::text AS xid,
  pg_temp.mended(pg_xact_commit_timestamp(p.xmin)) AS at,
  CASE p.what WHEN 'vote' THEN 'new_vote' WHEN 'comment' THEN 'new_comment' END AS kind,
  EXISTS (SELECT FROM notifications AS n WHERE n.id = p.row_id AND n.is_read) AS is_read
FROM chaos_posts AS p JOIN device_tokens AS d ON d.user_id = p.person
  AND d.app = CASE p.what WHEN 'notification' THEN 'repairminder' ELSE 'feedbackkit' END;

-- What stands beside each other on a screen: only the same collapse id replaces.
CREATE TEMP TABLE shown AS
SELECT t.number, t.what, t.person, t.token, t.at, t.xid, t.is_read, count(p.seq) AS pushes, min(p.at) AS first,
  count(DISTINCT coalesce(p.collapse, p.seq::text)) AS beside, count(DISTINCT p.notification) AS notifications
FROM tellings AS t LEFT JOIN pushes AS p ON p.is_seen AND p.token = t.token AND CASE
  WHEN t.kind IS NULL THEN p.notification = t.row_id ELSE p.feedback = t.feedback AND p.kind = t.kind END
GROUP BY t.number, t.what, t.person, t.token, t.at, t.xid, t.is_read;

CREATE TEMP TABLE post_places AS
SELECT (record ->> 'id')::uuid AS row_id, format('%s waits as %s.%s', function, partition, id) AS place FROM runner.events
WHERE function IN ('vote-cast', 'comment-added', 'notification-created')
UNION ALL
SELECT (record ->> 'id')::uuid, format('%s is tried again as %s.%s, %s: %s', function, partition, id, code, error)
FROM runner.retries WHERE function IN ('vote-cast', 'comment-added', 'notification-created')
UNION ALL
SELECT (record ->> 'id')::uuid, format('%s: dead letter %s.%s, %s: %s', function, partition, id, code, error)
FROM runner.dead_letters WHERE function IN ('vote-cast', 'comment-added', 'notification-created');

SELECT 'lost', format('%s %s on device %s, transaction %s, committed %s: %s%s', s.what, s.number, left(s.token, 8), s.xid,
  to_timestamp(s.at), coalesce(w.place, 'its event is handled'),
  (SELECT '; ' || string_agg(
      format('delivery %s since %s, due %s, %s attempts %s', d.state, d.updated_at, d.not_before, d.attempts, d.reason), ', ')
    FROM deliveries AS d JOIN notifications AS n ON n.id = d.notification_id
      JOIN device_tokens AS t ON t.id = d.device_token_id
    WHERE t.token = s.token AND n.user_id = s.person AND CASE s.what WHEN 'notification' THEN n.id = p.row_id
      ELSE n.feedback_id = p.feedback AND n.type = 'new_' || s.what END))
FROM shown AS s JOIN chaos_posts AS p USING (number) LEFT JOIN post_places AS w ON w.row_id = p.row_id
WHERE s.pushes = 0 AND NOT s.is_read ORDER BY s.at;

-- When the function was done with it, as the history has it.
CREATE TEMP TABLE post_delays AS
SELECT p.number, p.what, h.function, p.xmin::text AS xid, pg_temp.mended(h.ended_at)
    - greatest(pg_temp.mended(pg_xact_commit_timestamp(p.xmin)),
      (SELECT max(f.ended) FROM faults AS f
        WHERE f.began < pg_temp.mended(h.ended_at) AND f.kind NOT LIKE 'target%')) AS seconds,
  10 + (4 ^ (SELECT max(o.attempt) FROM runner.history AS o
    WHERE o.function = h.function AND (o.key = h.key OR (o.partition, o.id) = (h.partition, h.id))) - 1) / 3 AS limit
FROM chaos_posts AS p
JOIN runner.payloads AS l ON l.record ->> 'id' = p.row_id::text AND l.op = 'INSERT'
JOIN runner.history AS h ON (h.partition, h.id) = (l.partition, l.id) AND h.function = l.function AND h.exit_status = 0
WHERE l.function IN ('vote-cast', 'comment-added', 'notification-created');

SELECT 'overdue', format('%s %s for %s, transaction %s: %s s', what, number, function, xid, round(seconds::numeric, 1))
FROM post_delays WHERE seconds > "limit";

SELECT 'twice', format('%s %s stands %s times on device %s, of %s notifications', what, number, beside, left(token, 8),
  notifications)
FROM shown WHERE beside > 1 OR notifications > 1;

SELECT 'twice', format('person %s has %s entries of %s about %s', user_id, count(*), type, feedback_id)
FROM notifications WHERE type IN ('new_vote', 'new_comment') AND origin = 'function'
GROUP BY user_id, type, feedback_id HAVING count(*) > 1;

SELECT 'twice', format('person %s was decided on %s times for %s of %s', user_id, count(*), kind, subject_id)
FROM decisions WHERE kind IN ('new_vote', 'new_comment') GROUP BY user_id, kind, subject_id HAVING count(*) > 1;

SELECT 'untrue', format('device %s shows %s of %s, which was not committed', left(p.token, 8), p.kind,
  coalesce(p.feedback, p.notification))
FROM pushes AS p WHERE p.is_seen AND NOT EXISTS (
  SELECT FROM tellings AS t WHERE t.token = p.token AND CASE
    WHEN t.kind IS NULL THEN p.notification = t.row_id ELSE p.feedback = t.feedback AND p.kind = t.kind END);

-- Badges -------------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE badges AS
SELECT d.token, d.app, d.user_id,
  (SELECT p.badge FROM pushes AS p WHERE p.token = d.token AND p.badge IS NOT NULL ORDER BY p.seq DESC LIMIT 1) AS shown,
  (SELECT count(*) FROM notifications AS n WHERE n.user_id = d.user_id AND n.app = d.app AND n.counts_for_badge
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE) AS unread
FROM device_tokens AS d;

SELECT 'badges', format('device %s of %s shows %s, unread are %s', left(token, 8), app, coalesce(shown::text, 'none'), unread)
FROM badges WHERE coalesce(shown, 0) <> unread;

SELECT 'counts', json_build_object(
  'events', (SELECT count(*) FROM due) + (SELECT count(*) FROM chaos_posts),
  'deliveries', (SELECT count(*) FROM pushes),
  'devices', (SELECT count(*) FROM badges WHERE shown IS NOT NULL),
  'repeats', (SELECT coalesce(sum(times - events), 0) FROM heard),
  'sentAgain', (SELECT count(*) - count(DISTINCT (token, notification)) FROM pushes WHERE is_seen),
  'slowest', (SELECT round(greatest(max(seconds), 0)::numeric, 1)
    FROM (SELECT seconds FROM delays UNION ALL SELECT seconds FROM post_delays) AS all_delays));

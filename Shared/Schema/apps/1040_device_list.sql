-- Compatible
-- A person may have very many devices: pages count them by app, and list the first ones in this order.
CREATE INDEX IF NOT EXISTS idx_device_tokens_list ON device_tokens (user_id, app, (is_active IS FALSE), id);

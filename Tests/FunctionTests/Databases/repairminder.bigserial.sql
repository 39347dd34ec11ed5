-- Repair Minder with numbers as ids and enums as types: only people have UUIDs.
CREATE TYPE device_platform AS ENUM ('ios', 'android');
CREATE TYPE notification_kind AS ENUM (
  'order_created', 'order_status_changed', 'device_assigned', 'device_status_changed', 'ticket_message', 'ticket_reopened',
  'payment_received', 'enquiry_received', 'enquiry_reply', 'quote_approved', 'quote_rejected');
CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL UNIQUE, first_name text NOT NULL,
  role text NOT NULL DEFAULT 'staff', created_at timestamp DEFAULT now());
CREATE TABLE orders (id bigserial PRIMARY KEY, customer text NOT NULL, status text NOT NULL DEFAULT 'new');
CREATE TABLE device_tokens (
  id bigserial PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  device_token varchar(255) NOT NULL, platform device_platform NOT NULL, created_at timestamp DEFAULT now(),
  UNIQUE (user_id, device_token));
CREATE TABLE notifications (
  id bigserial PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, type notification_kind NOT NULL,
  entity_id text NOT NULL, title text NOT NULL, body text NOT NULL, is_urgent boolean NOT NULL,
  is_read boolean NOT NULL DEFAULT false, created_at timestamp NOT NULL DEFAULT now());

INSERT INTO users (id, email, first_name) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada'),
  ('a0000000-0000-4000-8000-000000000002', 'ben@example.com', 'Ben');
INSERT INTO orders (customer) VALUES ('John Smith');
INSERT INTO device_tokens (user_id, device_token, platform, created_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', repeat('a1', 32), 'ios', '2026-01-03'),
  ('a0000000-0000-4000-8000-000000000002', repeat('a2', 32), 'ios', '2026-01-02');
INSERT INTO notifications (user_id, type, entity_id, title, body, is_urgent, is_read, created_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'order_created', '1', 'New Order', 'Order #1 for John Smith', false, true,
   '2026-01-03'),
  ('a0000000-0000-4000-8000-000000000001', 'payment_received', '1', 'Payment Received', '£10.00', false, false,
   '2026-01-04');

-- Compatible
-- Live Activities of Repair Minder's orders: their notifications say how they stand.

CREATE OR REPLACE TRIGGER push_show_order AFTER INSERT ON notifications
  FOR EACH ROW WHEN (NEW.app = 'repairminder' AND lower(NEW.type) IN ('order_created', 'order_status_changed'))
  EXECUTE FUNCTION push_show_entry('entity_id', 'status', 'order_number', 'device');
CREATE OR REPLACE TRIGGER push_open_order AFTER UPDATE OF pushed_at ON notifications
  FOR EACH ROW WHEN (
    NEW.pushed_at IS NOT NULL AND OLD.pushed_at IS NULL AND NEW.app = 'repairminder'
    AND lower(NEW.type) = 'order_created')
  EXECUTE FUNCTION push_show_entry('entity_id');

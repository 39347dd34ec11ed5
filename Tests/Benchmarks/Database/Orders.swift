/// The table whose changes are captured: as JSON, a row has about 280 bytes.
enum Orders {
  /// How many different keys its rows have.
  static let customers = 20_000

  /// The statement that makes the table, or one like it that is not captured.
  static func table(_ name: String = "orders") -> String {
    """
    CREATE TABLE \(name) (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer bigint NOT NULL, status text NOT NULL,
      total numeric(12, 2) NOT NULL, note text NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp());
    """
  }

  /// The statement that inserts a number of rows, each with another note.
  static func rows(_ count: Int, into name: String = "orders") -> String {
    """
    INSERT INTO \(name) (customer, status, total, note)
    SELECT n % \(customers), 'open', n / 100.0, repeat(md5(n::text), 5) FROM generate_series(1, \(count)) AS n;
    """
  }

  /// The script of each pgbench client: insert one row and commit.
  static func script(into name: String = "orders") -> String {
    """
    \\set customer random(0, \(customers - 1))
    INSERT INTO \(name) (customer, status, total, note)
    VALUES (:customer, 'open', 12.34, '\(String(repeating: "0123456789abcdef", count: 10))');
    """
  }

  /// A `functions.json` whose only function gets the table's changes.
  ///
  /// - Parameters:
  ///   - function: the members of its entry that say what is started.
  ///   - event: which changes.
  ///   - rest: further members of the document, each after a comma.
  static func manifest(_ function: String, event: String = "INSERT", rest: String = "") -> String {
    """
    {"functions": {"orders": {
      \(function), "key": "customer", "triggers": [{"table": "orders", "events": ["\(event)"]}]
    }}\(rest)}
    """
  }
}

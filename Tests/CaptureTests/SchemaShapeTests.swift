import Testing

@testable import Capture

/// The shape of tables, from the text of migrations as others write them.
struct SchemaShapeTests {
  private let shape = SchemaShape(of: [
    SchemaMigration(
      name: "shop/0001_orders",
      sql: """
        CREATE TABLE IF NOT EXISTS orders (
          id bigserial PRIMARY KEY, -- the number
          total numeric(10, 2) NOT NULL,
          at timestamp with time zone DEFAULT now(),
          "name" text,
          app text,
          token text UNIQUE,
          CONSTRAINT
            positive CHECK (total > 0)
        );
        ALTER TABLE orders ADD COLUMN IF NOT EXISTS weight double precision;
        """)
  ])

  @Test func typesAreWhole() {
    let columns = shape.tables["orders"] ?? []

    #expect(columns.map(\.name) == ["id", "total", "at", "name", "app", "token", "weight"])
    #expect(
      columns.map(\.type) == [
        "bigserial", "numeric(10, 2)", "timestamp with time zone", "text", "text", "text", "double precision",
      ])
    #expect(columns.filter { !$0.isOptional }.map(\.name) == ["id", "total"])
    #expect(columns.filter(\.hasDefault).map(\.name) == ["at"])
    #expect(shape.keys["orders"] == [["id"], ["token"]])
  }
}

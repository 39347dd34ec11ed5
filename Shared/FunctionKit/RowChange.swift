/// A changed row, exactly as Supabase Database Webhooks post it.
///
/// Source: https://supabase.com/docs/guides/database/webhooks (payload). All five keys are always present there. A
/// payload that is written by hand may leave out `schema` and `old_record`.
package struct RowChange<Record: Sendable>: Sendable {
  /// The operation that changed the row.
  package let type: Operation
  /// The table's name without its schema.
  package let table: String
  /// The table's schema.
  package let schema: String
  /// The row as it is now; `nil` after a deletion.
  package let record: Record?
  /// The row as it was; `nil` for an insertion.
  package let oldRecord: Record?

  /// The operations that change a row.
  package enum Operation: String, Codable, Sendable {
    case insert = "INSERT"
    case update = "UPDATE"
    case delete = "DELETE"
  }

  /// A change from its parts.
  package init(type: Operation, table: String, schema: String = "public", record: Record?, oldRecord: Record? = nil) {
    (self.type, self.table, self.schema) = (type, table, schema)
    (self.record, self.oldRecord) = (record, oldRecord)
  }

  private enum CodingKeys: String, CodingKey {
    case type, table, schema, record
    case oldRecord = "old_record"
  }
}

extension RowChange: Decodable where Record: Decodable {
  /// Reads the five keys.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      type: try values.decode(Operation.self, forKey: .type),
      table: try values.decode(String.self, forKey: .table),
      schema: try values.decodeIfPresent(String.self, forKey: .schema) ?? "public",
      record: try values.decodeIfPresent(Record.self, forKey: .record),
      oldRecord: try values.decodeIfPresent(Record.self, forKey: .oldRecord))
  }
}

extension RowChange: Encodable where Record: Encodable {
  /// Writes all five keys, `null` where there is no row.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(type, forKey: .type)
    try values.encode(table, forKey: .table)
    try values.encode(schema, forKey: .schema)
    try values.encode(record, forKey: .record)
    try values.encode(oldRecord, forKey: .oldRecord)
  }
}

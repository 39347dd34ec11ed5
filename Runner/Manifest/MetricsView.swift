/// A view of the database whose rows are samples: its column `value` is the number, all others are labels.
package struct MetricsView: Sendable, Equatable {
  package var schema = "public"
  package var name: String

  /// The view's name with its schema.
  package var table: TableName { TableName(schema: schema, table: name) }

  /// Whether a text may name a metric or a label.
  package static func isMetricName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
    }
  }
}

import FunctionKit

/// Rows of two lists, put together by how much they have in common.
struct RowDifferences {
  private typealias Columns = [String: String]

  /// A text for each row of one list with its counterpart in the other.
  private(set) var texts: [String] = []

  /// - Parameters:
  ///   - one: rows as JSON that were made one at a time.
  ///   - other: rows that were made in batches.
  init(of one: [String], _ other: [String]) {
    var left = other.map(Self.columns)
    for row in one {
      let columns = Self.columns(row)
      let nearest = left.indices.min { Self.distance(columns, left[$0]) < Self.distance(columns, left[$1]) }
      guard let nearest, Self.distance(columns, left[nearest]) * 2 < columns.count else {
        texts.append("only one at a time: \(row)")
        continue
      }
      texts.append(Self.comparison(columns, left.remove(at: nearest)))
    }
    texts += left.map { "only in batches: \($0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })" }
  }

  private static func columns(_ row: String) -> Columns {
    let members = (try? RawJSON(validating: Array(row.utf8)[...]))?.members ?? []
    let values = members.map { ($0.name, String(decoding: $0.value.bytes, as: UTF8.self)) }
    return Dictionary(values) { first, _ in first }
  }

  private static func distance(_ one: Columns, _ other: Columns) -> Int {
    Set(one.keys).union(other.keys).count { one[$0] != other[$0] }
  }

  private static func comparison(_ one: Columns, _ other: Columns) -> String {
    let names = ["id", "notification_id", "event_id", "user_id"].filter { one[$0] != nil && one[$0] == other[$0] }
    let differing = Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
    return names.map { "\($0) \(one[$0] ?? "")" }.joined(separator: ", ")
      + differing.map { name in
        "\n    \(name) one at a time: \(one[name] ?? "–")\n    \(name) in batches:    \(other[name] ?? "–")"
      }.joined()
  }
}

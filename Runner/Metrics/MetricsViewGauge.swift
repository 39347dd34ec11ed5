import Manifest
import Postgres

extension MetricsView {
  /// The most rows that are read.
  static let mostRows = 1_000

  var query: SQL { "SELECT * FROM \(identifier: schema).\(identifier: name) LIMIT \(Self.mostRows)" }

  /// The gauge that the rows make.
  ///
  /// - Throws: ``Unusable`` if the column `value` is missing, or another column cannot be a label.
  func family(_ rows: Rows) throws(Unusable) -> MetricFamily {
    let labels = rows.columns.filter { $0 != "value" }
    guard labels.count + 1 == rows.columns.count else { throw Unusable(problem: "it has no column named value") }
    guard labels.allSatisfy({ Self.isMetricName($0) && !$0.hasPrefix("__") }) else {
      throw Unusable(problem: "a column's name cannot be a label")
    }
    var family = MetricFamily(name: name, kind: .gauge, help: "The view \(table).")
    var seen: Set<[String]> = []
    for row in rows {
      let values = labels.map { row[$0] ?? "" }
      guard let value = row["value"].flatMap(Self.number), seen.insert(values).inserted else { continue }
      family.samples.append(.init(labels: zip(labels, values).map { ($0, $1) }, value: value))
    }
    return family
  }

  struct Unusable: Error, CustomStringConvertible {
    let problem: String

    var description: String { problem }
  }

  /// A number of PostgreSQL as Prometheus writes it; `nil` for other text.
  private static func number(_ text: String) -> String? {
    switch text {
    case "Infinity": "+Inf"
    case "-Infinity": "-Inf"
    case "NaN": text
    default: Double(text) == nil ? nil : text
    }
  }
}

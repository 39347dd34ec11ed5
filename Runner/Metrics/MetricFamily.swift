/// All samples of one metric.
struct MetricFamily: Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  struct Sample: Sendable {
    /// The suffix of the family's name, such as `_bucket`.
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    var value: String
  }

  let name: String
  let kind: Kind
  let help: String
  var samples: [Sample] = []
}

extension MetricFamily {
  /// A family of whole numbers, one for each value of one label.
  init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int)]) {
    self.init(
      name: name, kind: kind, help: help,
      samples: values.map { Sample(labels: [(label, $0.0)], value: "\($0.1)") })
  }

  /// A family of one number.
  init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    self.init(name: name, kind: kind, help: help, samples: [Sample(value: "\(value)")])
  }

  /// The family in Prometheus' text format 0.0.4.
  ///
  /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
  var text: String {
    var text = "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      text += name + sample.suffix
      if !sample.labels.isEmpty {
        let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
        text += "{\(labels.joined(separator: ","))}"
      }
      text += " \(sample.value)\n"
    }
    return text
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

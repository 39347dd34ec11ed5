import CLI
import FunctionKit
import Terminal

/// The measurements of two commits in turns, for people or for programs.
struct ComparisonReport {
  /// A figure that fell by more than this part in the median of all turns is named.
  static let mostFall = 0.1

  /// How wide the columns are: the name, both medians, the gain with its spread, and the verdict.
  private static let widths = [52, 10, 10, 6, 6, 6, 6]

  private let rows: [Row]
  /// Sentences about what could not be compared.
  let failures: [String]

  /// - Parameter failures: what could not be compared, a sentence each.
  init(_ measured: [(Measurement, Turns)], _ failures: [String]) {
    rows = measured.map(Row.init)
    self.failures = failures
  }

  /// 0 if nothing fell, 1 if something did, 2 if something could not be compared.
  var exitStatus: Int32 { !failures.isEmpty ? 2 : rows.contains(where: \.fell) ? 1 : 0 }

  /// A table, and a sentence for each figure that fell or that only one of both has.
  var text: String {
    let lines = [["", "before", "now", "gain", "from", "to", ""]] + rows.filter { $0.gain != nil }.map(\.cells)
    let table = lines.map { cells in
      // A long name takes lines of its own, and the figures stand beside its end.
      let name = cells[0].wrapped(toColumns: Self.widths[0])
      let last = zip([name.last ?? ""] + cells.dropFirst(), Self.widths).map { $0.padded(to: $1) }
      return (name.dropLast() + [last.joined(separator: " ").trimmedAtEnd]).joined(separator: "\n")
    }
    let fallen = rows.filter(\.fell).map { "Fell by more than 10 %: \($0.name) (\(($0.gain ?? 0).fixed(2)) ×)" }
    let alone = rows.filter { $0.gain == nil }.map { "Only one of both has it: \($0.name)" }
    return (table + [""] + (fallen.isEmpty ? ["Nothing fell by more than 10 %."] : fallen) + alone)
      .joined(separator: "\n")
  }

  /// `{"ok","figures":[{"what","figure","before","now","gain","least","most","fell"}],"failures"}`.
  var json: String {
    get throws {
      struct Document: Encodable {
        var ok: Bool
        var figures: [Row]
        var failures: [String]
      }
      let document = Document(ok: exitStatus == 0, figures: rows, failures: failures)
      return String(decoding: try JSONCoding.encode(document).bytes, as: UTF8.self)
    }
  }

  /// One figure: medians, and the gain with its spread; no gain where only one of both has the figure.
  private struct Row: Encodable {
    var what: String
    var figure: String
    var before: Double?
    var now: Double?
    var gain: Double?
    var least: Double?
    var most: Double?
    var fell: Bool

    init(_ measurement: Measurement, _ turns: Turns) {
      let gains = turns.gains(moreIsBetter: measurement.figure.moreIsBetter)
      (what, figure) = (measurement.what, measurement.figure.name)
      before = turns.before.isEmpty ? nil : Samples(turns.before).p50
      now = turns.now.isEmpty ? nil : Samples(turns.now).p50
      gain = gains.isEmpty ? nil : Samples(gains).p50
      (least, most) = (gains.min(), gains.max())
      fell = measurement.isJudged && gain.map { $0 < 1 - ComparisonReport.mostFall } == true
    }

    var name: String { figure == "value" ? what : "\(what), \(figure)" }

    var cells: [String] {
      [name]
        + [(before, 2), (now, 2), (gain, 2), (least, 2), (most, 2)].map { value, digits in
          value.map { $0 >= 10_000 ? $0.fixed(0) : $0.fixed(digits) } ?? ""
        } + [fell ? "FELL" : ""]
    }
  }
}

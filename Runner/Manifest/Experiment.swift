/// Something to make happen on the bundle's own database, by a button of the console or by `runner try`.
package struct Experiment: Sendable, Equatable {
  package var name: String
  /// The text of its button.
  package var title: String
  /// A sentence on what it shows; empty if nobody said.
  package var summary = ""
  /// Statements, which run in one transaction; empty if only the clock is moved.
  package var sql = ""
  /// The time of the day, in minutes of UTC, to which the clock is moved then; `nil` if it stays.
  package var minute: Int?
  /// The panel that shows more of what came of it.
  package var panel: String?
}

extension Experiment {
  /// - Parameter panels: those of the bundle.
  init(name: String, _ node: ManifestNode, of panels: [PanelEntry]) throws(ManifestError) {
    guard FunctionEntry.isName(name) else {
      throw node.error("is not an experiment's name: lower-case letters, digits and single hyphens")
    }
    let members = try node.members(allowed: ["title", "summary", "sql", "clock", "look"])
    self.init(
      name: name, title: try members["title"]?.string() ?? name.prefix(1).uppercased() + name.dropFirst(),
      summary: try members["summary"]?.string() ?? "",
      sql: try members["sql"]?.strings().joined(separator: "\n") ?? "")
    minute = try members["clock"]?.minuteOfDay()
    guard !sql.isEmpty || minute != nil else { throw node.error("has neither \"sql\" nor \"clock\"") }
    panel = try members["look"]?.string()
    if let node = members["look"], !panels.contains(where: { $0.name == panel }) {
      throw node.error("must be one of \"panels\"")
    }
  }
}

extension ManifestNode {
  /// `22:00`, in minutes.
  fileprivate func minuteOfDay() throws(ManifestError) -> Int {
    let parts = try string().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { throw error("must be a time of the day in UTC, such as 22:00") }
    return hour * 60 + minute
  }
}

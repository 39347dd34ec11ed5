import Foundation
import Synchronization
import TestSupport
import Testing

/// The table of `Runner/DEPLOYING.md` that says what was built and run.
///
/// Each test compares its row. With `DEPLOYMENTS=write` in the environment it writes it, and the line with the date.
enum DeploymentTable {
  /// A column.
  enum Step: String, CaseIterable {
    case built, served, pushed, drained, killed
    case secret = "secret unreadable"
  }

  private static let turn = Mutex(())
  private static let file = House.root.appending(path: "Runner/DEPLOYING.md")
  private static let heading = "| | \(Step.allCases.map(\.rawValue).joined(separator: " | ")) |"
  private static let dated = "Last run on "

  /// - Parameters:
  ///   - name: the row's name in the page.
  ///   - steps: what was done.
  ///   - versions: of what it was done with.
  static func note(_ name: String, _ steps: [Step], with versions: String) throws {
    let cells = Step.allCases.map { steps.contains($0) ? "yes" : "no" }
    let row = "| \(name) | \(cells.joined(separator: " | ")) |"
    try turn.withLock { _ in
      let text = try String(contentsOf: file, encoding: .utf8)
      guard getenv("DEPLOYMENTS") != nil else {
        #expect(text.contains("\n\(row)\n"), "DEPLOYMENTS=write Tests/run --filter ContainerTests writes it: \(row)")
        return
      }
      var lines = text.components(separatedBy: "\n")
      let top = try #require(lines.firstIndex(of: heading), "The page has no line \(heading)")
      let end = lines[top...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
      if let present = lines[top..<end].firstIndex(where: { $0.hasPrefix("| \(name) |") }) {
        lines[present] = row
      } else {
        lines.insert(row, at: end)
      }
      if let line = lines.firstIndex(where: { $0.hasPrefix(dated) }) {
        lines[line] = "\(dated)\(Date.now.formatted(.iso8601.year().month().day())), with \(versions)."
      }
      try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }
}

import Foundation
import Synchronization
import TestSupport
import Testing

/// The table of `Runner/DEPLOYING.md` that says what was built and run.
///
/// Each test compares its row. With `DEPLOYMENTS=write` in the environment it writes it, with today's date, and the
/// versions below the table.
enum DeploymentTable {
  /// A column.
  enum Step: String, CaseIterable {
    case built, served, pushed, drained, killed
    case contained = "writes its state only"
    case secret = "secret unreadable"
  }

  private static let turn = Mutex(())
  private static let file = House.root.appending(path: "Runner/DEPLOYING.md")
  private static let heading = "| | \(Step.allCases.map(\.rawValue).joined(separator: " | ")) | last run |"
  private static let tools = "They ran with "

  /// - Parameters:
  ///   - name: the row's name in the page.
  ///   - done: what was done.
  ///   - steps: what there is to do.
  ///   - versions: of what it was done with.
  static func note(_ name: String, _ done: [Step], of steps: [Step], with versions: String) throws {
    let cells = Step.allCases.map { !steps.contains($0) ? "–" : done.contains($0) ? "yes" : "no" }
    let row = "| \(name) | \(cells.joined(separator: " | ")) |"
    try turn.withLock { _ in
      let text = try String(contentsOf: file, encoding: .utf8)
      guard getenv("DEPLOYMENTS") != nil else {
        let isThere = text.contains("\n\(row) ")
        #expect(isThere, "DEPLOYMENTS=write Tests/run --filter ContainerTests writes it: \(row)")
        return
      }
      var lines = text.components(separatedBy: "\n")
      let top = try #require(lines.firstIndex(of: heading), "The page has no line \(heading)")
      let end = lines[top...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
      let dated = "\(row) \(Date.now.formatted(.iso8601.year().month().day())) |"
      if let present = lines[top..<end].firstIndex(where: { $0.hasPrefix("| \(name) |") }) {
        lines[present] = dated
      } else {
        lines.insert(dated, at: end)
      }
      if let line = lines.firstIndex(where: { $0.hasPrefix(tools) }) { lines[line] = "\(tools)\(versions)." }
      try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }
}

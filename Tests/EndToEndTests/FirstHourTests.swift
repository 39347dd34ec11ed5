import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The lines that a newcomer types first, as README says it, and what they see.
@Suite(.heavy)
struct FirstHourTests {
  @Test func theReadmesOwnRowsRingAfterTheDemosPeople() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await bundle.settle()
    let before = try await phones.pushes().count

    try await bundle.runner.database.script(try Self.rows)

    try await bundle.settle()
    let said = try await phones.pushes().dropFirst(before).map { push in
      let alert = push["payload"]?["aps"]?["alert"]
      return "\(alert?["title"]?.stringValue ?? "") · \(alert?["body"]?.stringValue ?? "")"
    }
    #expect(said.contains { $0.hasPrefix("New Feedback · ") && $0.contains("Night mode") }, "\(said)")
    #expect(said.contains("New Vote · Night mode now has 1 vote"), "\(said)")
  }

  @Test func aDryRunIsForPeopleOnATerminalAndForProgramsElsewhere() async throws {
    let bundle = try await RunningBundle()
    try await bundle.runner.database.script(try House.text("Runner/Demo/demo.sql"))
    let environment = ["DATABASE_URL": bundle.runner.databaseURL]
    let sample = House.root.appending(path: "Tests/Events/comment-added.json").path

    let terminal = try await BuiltExecutables.onTerminal(
      "comment-added --dry-run < '\(sample)'", environment: environment)
    let pipe = try await BuiltExecutables.run(
      "comment-added", ["--dry-run"], stdin: try String(contentsOfFile: sample, encoding: .utf8),
      environment: environment)

    #expect(terminal.exit == 0)
    #expect(terminal.text.hasPrefix("Dry run of comment-added: nothing was written, nobody was told.\n"))
    #expect(
      terminal.text.contains("  told      Grace <grace@example.com>, a submitter\n            New Comment · "),
      "\(terminal.text)")
    #expect(terminal.text.contains("  not told  Ben <ben@example.com>, a member\n            it was their own act\n"))
    #expect(terminal.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(terminal.text)")
    #expect(try RawJSON(validating: Array(pipe.stdout.utf8)[...])["dryRun"] != nil)
  }

  @Test func aListOfEventsOnANarrowTerminalNamesFunctionAndKey() async throws {
    let runner = try await RecordedEvents.make()

    let list = try await BuiltExecutables.onTerminal(
      columns: 50, "runner events list --project '\(runner.project.path)'",
      environment: ["DATABASE_URL": runner.databaseURL])

    let lines = list.text.split(separator: "\n")
    #expect(lines.first?.split(separator: " ").contains("function") == true, "\(list.text)")
    #expect(lines.first?.split(separator: " ").contains("key") == true && lines.first?.contains("kind") == false)
    #expect(lines.allSatisfy { $0.count <= 50 })
  }

  /// The statements that README has people type.
  private static var rows: String {
    get throws {
      let readme = try House.text("README.md")
      let beginning = #"psql "$(cat .runner/database-url)" -c ""#
      guard let start = readme.range(of: beginning),
        let end = readme.range(of: "\"\n", range: start.upperBound..<readme.endIndex)
      else { throw ProgramFailure(description: "README has no psql") }
      return String(readme[start.upperBound..<end.lowerBound])
    }
  }
}

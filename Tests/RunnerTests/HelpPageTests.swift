import FunctionKit
import Testing

@testable import CLI
@testable import Manifest
@testable import Runner

/// The pages of help, and JSON as people read it.
struct HelpPageTests {
  @Test func everyCommandHasItsPage() {
    let overview = Commands.overview([])

    #expect(Commands.all.count >= 12)
    for command in Commands.all {
      #expect(overview.contains("\n  \(command.word.padding()) \(command.summary)\n"), "\(command.word)")
      #expect(command.page.contains("usage: runner \(command.word)"), "\(command.word)")
      #expect(command.page.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command.word)")
    }
    #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(Commands.of("events")?.options.contains("--older-than") == true)
    #expect(Commands.all.filter { !$0.page.contains("--state-dir") }.map(\.word) == ["completions"])
    #expect(Commands.of("completions")?.options == ["--help"])
  }

  @Test func theBundlesCommandsAreShownWithTheRunners() throws {
    let entries = [
      CommandEntry(name: "why", executable: "push", summary: "why people were told"),
      CommandEntry(name: "explain", executable: "push"),
      CommandEntry(name: "doctor push", executable: "push", summary: "check the keys"),
    ]
    let overview = Commands.overview(entries)
    let doctor = try #require(Commands.of("doctor"))

    #expect(overview.contains("Events\n  events ") && overview.contains("\n  why         why people were told\n"))
    #expect(overview.contains("\nThis bundle's own\n  doctor push check the keys\n") && !overview.contains("explain"))
    #expect(Commands.page(of: doctor, entries).hasSuffix("\n  runner doctor push   check the keys\n"))
    #expect(Commands.page(of: doctor, []) == doctor.page)
  }

  @Test func prettyJSONKeepsOrderAndDigits() throws {
    let json = try RawJSON(validating: Array(#"{"b":[1,{"x":9007199254740993}],"a":{},"c":[],"d":"é\n"}"#.utf8)[...])

    #expect(
      json.pretty == """
        {
          "b": [
            1,
            {
              "x": 9007199254740993
            }
          ],
          "a": {},
          "c": [],
          "d": "é\\n"
        }
        """)
  }
}

extension String {
  fileprivate func padding() -> String { self + String(repeating: " ", count: max(0, 11 - count)) }
}

import FunctionKit
import Manual
import Testing

@testable import CLI
@testable import Runner

/// The pages of help, and JSON as people read it.
struct HelpPageTests {
  @Test func everyCommandHasItsPage() {
    let overview = Help.overview([])

    #expect(Help.all.count >= 12)
    for help in Help.all {
      #expect(overview.contains("\n  \(help.command.padding()) \(help.summary)\n"), "\(help.command)")
      #expect(help.page().contains("usage: runner \(help.command)"), "\(help.command)")
      #expect(help.page().split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(help.command)")
    }
    #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(Help.of("events")?.options.contains("--older-than") == true)
    #expect(Help.all.filter { !$0.page().contains("--state-dir") }.map(\.command) == ["completions"])
    #expect(Help.of("completions")?.options == ["--help"])
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

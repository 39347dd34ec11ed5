import Terminal
import Testing

@testable import CLI

struct TableTests {
  private func table(width: Int?, flexible: [String] = []) -> [String] {
    var table = Table(["id", "key", "error"], flexible: flexible, width: width)
    table.add(["3.28000001234", "日本語", String(repeating: "long ", count: 20)])
    table.add(["1.1", "k", "short\u{1B}[2J\nline"])
    return table.text.split(separator: "\n").map(String.init)
  }

  @Test func withoutATerminalNothingIsCut() {
    let lines = table(width: nil)

    #expect(lines.count == 3)
    #expect(lines[0] == "id             key     error")
    #expect(lines[1].hasPrefix("3.28000001234  日本語  long long"))
    #expect(lines[1].columns == 122)
  }

  @Test func theWidestColumnGivesWay() {
    let lines = table(width: 60)

    #expect(lines.allSatisfy { $0.columns <= 60 })
    #expect(lines[1].hasPrefix("3.28000001234  日本語  long "))
    #expect(lines[1].hasSuffix("…"))
  }

  @Test func onlyFlexibleColumnsAreCutWhileTheyCanBe() {
    let lines = table(width: 40, flexible: ["error"])

    #expect(lines[1].hasPrefix("3.28000001234  日本語  "))
    #expect(lines[1].columns == 40)
  }

  @Test(arguments: [(60, "id             key     error"), (33, "id             error"), (20, "error")])
  func whatMattersLeastIsLeftOut(width: Int, header: String) {
    var table = Table(["id", "key", "error"], flexible: ["error"], dispensable: ["key", "id"], width: width)
    table.add(["3.28000001234", "日本語", String(repeating: "long ", count: 20)])

    let lines = table.text.split(separator: "\n").map(String.init)

    #expect(lines[0] == header)
    #expect(lines[1].columns == width)
  }

  @Test func aTableWiderThanAnyTerminalIsCutAtItsEnd() {
    #expect(table(width: 16).allSatisfy { $0.columns <= 16 })
  }

  @Test func controlCharactersDoNotReachTheTerminal() {
    #expect(table(width: nil)[2] == "1.1            k       short [2J line")
  }
}

import CLI
import FunctionKit
import Terminal
import Testing

@testable import PushEmulator

struct CommandLineTests {
  @Test func readsServe() throws {
    let options = try ServeOptions(
      CommandArguments(
        ["--directory", "d", "--port", "8443", "--bundle-id", "a", "--bundle-id", "b", "--exit-with-stdin"],
        of: ServeCommand.spec))

    #expect(options.directory == "d" && options.host == "127.0.0.1" && options.port == 8_443)
    #expect(options.bundleIDs == ["a", "b"] && options.exitsWithStdin)
  }

  @Test(arguments: [
    [], ["--directory"], ["--directory", ""], ["--directory", "d", "--port", "65536"], ["--directory", "d", "x"],
    ["--directory", "d", "--port", "-1"], ["--directory", "d", "--token-updates", "x"],
    ["--directory", "d", "--max-streams", "0"],
  ])
  func refusesABadServe(arguments: [String]) {
    #expect(throws: FunctionError.self) { try ServeOptions(CommandArguments(arguments, of: ServeCommand.spec)) }
  }

  @Test(arguments: [["--directory"], ["--token"], ["x"]])
  func refusesABadToken(arguments: [String]) {
    #expect(throws: FunctionError.self) { try CommandArguments(arguments, of: TokenCommand.spec) }
  }

  @Test(arguments: [["--last"], ["--last", "0"], ["--last", "x"], ["--all"], ["--plain"], ["--apns", "x"]])
  func refusesBadPushes(arguments: [String]) {
    #expect(throws: FunctionError.self) { try CommandArguments(arguments, of: PushesCommand.spec) }
  }

  @Test func theTableIsAlignedAndFitsTheTerminal() throws {
    let pushes = [
      Samples.record(1, body: #"{"aps":{"alert":{"title":"New Vote","body":"Short"}},"type":"new_vote"}"#).json,
      Samples.record(2, body: #"{"aps":{"alert":{"title":"日本","body":"\#(String(repeating: "long ", count: 40))"}}}"#)
        .json,
    ]

    let lines = PushTable(width: 100).lines(pushes, withHeading: true)

    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.columns <= 100 })
    #expect(lines[2].hasSuffix("…"))
    #expect(lines[1].contains("  new_vote            abababab  New Vote            Short"))
    #expect(lines[2].contains("  alert               abababab  日本                long"))
  }

  @Test(arguments: [(80, "seq   time      device    title"), (40, "seq   title")])
  func aNarrowTerminalKeepsTheBody(width: Int, heading: String) {
    let title = String(repeating: "A long title ", count: 5)
    let push = Samples.record(1, body: #"{"aps":{"alert":{"title":"\#(title)","body":"Said"}},"type":"k"}"#).json

    let lines = PushTable(width: width).lines([push], withHeading: true)

    #expect(lines.allSatisfy { $0.columns <= width })
    #expect(lines[0].hasPrefix(heading) && lines[0].hasSuffix("body"))
    #expect(lines[1].hasSuffix("Said"))
  }

  @Test func aRefusalShowsItsReason() {
    let push = Samples.record(1, device: .unregistered(since: 1)).json

    #expect(PushTable(width: nil).lines([push], withHeading: false).first?.hasSuffix("[410 Unregistered] B") == true)
  }

  @Test func textCannotCommandTheTerminal() {
    let push = Samples.record(1, body: #"{"aps":{"alert":{"title":"a\u001b[2Jb\nc","body":"x"}}}"#).json

    let line = PushTable(width: nil).lines([push], withHeading: false).joined()

    #expect(line.contains("a [2Jb c"))
  }
}

import Testing

@testable import FunctionKit

struct ArgumentsTests {
  @Test func readsEveryOption() throws {
    let arguments = try Arguments(["--dry-run", "--event-id", "7"])

    #expect(arguments.dryRun)
    #expect(arguments.eventID == "7")
    #expect(arguments.mode == .once)
  }

  @Test(arguments: [
    ["--nonsense"], ["file.json"], ["--event-id"], ["--event-id", ""], ["--stream", "--event-id", "7"], ["--http"],
  ])
  func refusesWhatItDoesNotKnow(_ words: [String]) {
    #expect { try Arguments(words) } throws: { ($0 as? FunctionError)?.code == .usage }
  }

  @Test func helpWinsOverWhatFollows() throws {
    #expect(try Arguments(["--help", "--nonsense"]).mode == .help)
  }
}

import Manual
import Testing

@testable import CLI
@testable import Runner

/// Commands that have had another name.
struct FormerNamesTests {
  @Test func noHelpShowsAFormerNameAndEachLeadsToACommand() throws {
    #expect(FormerNames.all.count == 3)
    let pages = [Help.overview([])] + Help.all.map { $0.page() }
    for (former, present) in FormerNames.all {
      let name = try #require(former.last)
      let word = try Regex("\\b\(name)\\b")
      for page in pages { #expect(!page.contains(word), "\(former)") }
      let help = try #require(Help.of(present[0]), "\(present)")
      #expect(present.count == 1 || help.verbs.contains(present[1]), "\(present)")
    }
  }

  @Test(arguments: [
    (["rerun", "5.4", "--json"], ["resend", "5.4", "--json"]), (["record"], ["export"]),
    (["events", "replay", "--all"], ["events", "retry", "--all"]), (["help", "rerun"], ["help", "resend"]),
    (["events", "list", "replay"], ["events", "list", "replay"]), (["logs", "record"], ["logs", "record"]), ([], []),
  ])
  func onlyTheCommandItselfIsReplaced(_ words: [String], _ replaced: [String]) {
    #expect(FormerNames.replaced(in: words) == replaced)
  }
}

import Notifications
import TestSupport
import Testing

/// The lines of migrations about the entries that functions write: `runner migrate` asks the checks of an app's table
/// about them.
struct WrittenKindsTests {
  @Test func everyKindThatFunctionsWriteIsNamed() throws {
    let inbox = try #require(Schema.migrations.first { $0.name == "1005_inbox" })
    let lines = inbox.sql.split(separator: "\n").filter { $0.hasPrefix("-- Writes notifications") }

    let named = lines.flatMap { $0.matches(of: /'(\w+)'/).map { String($0.1) } }

    let kinds = [App.feedbackKit, .lockItIn, .messageAI].flatMap(\.profile.kinds).map(\.name)
    #expect(named.sorted() == (kinds + ["badge", "vote_count", QuietSummary.typeName]).sorted())
  }
}

import Notifications
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct OptOutTests {
  /// The rates know which kinds are off by default.
  @Test func whoDidNothingHasOptedOutOfNoKindThatIsOffByDefault() async throws {
    let demo = try await Demo()

    for kind in Kind.catalogue {
      let hasOptedOut: Bool = try await demo.connection.query(
        "SELECT push_opted_out('type_disabled', \(kind.app.rawValue), \(kind.name), NULL) AS answer"
      ).only().decode("answer")
      #expect(hasOptedOut == kind.isOnByDefault, "\(kind.name)")
    }
  }
}

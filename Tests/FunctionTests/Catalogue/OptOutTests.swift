import Notifications
import Postgres
import TestSupport
import Testing

@testable import ProposalVoteCast

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

  /// An app's row for a proposal says nothing about the person; what they chose for the group or themselves does.
  @Test(arguments: [
    ("true", nil, nil, false), ("false", nil, nil, false), ("NULL", nil, nil, false), ("false", "false", nil, true),
    ("false", "true", nil, false), ("NULL", "false", nil, true), ("false", nil, "false", true),
    ("false", nil, "true", false),
  ])
  func aProposalsOwnSwitchIsNoOptOut(
    ofProposal: String, ofGroup: String?, personal: String?, hasOptedOut: Bool
  ) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE event_proposals SET notify_vote_cast = \(ofProposal);
      INSERT INTO group_notification_preferences (user_id, group_id, vote_cast)
      VALUES ('\(Person.ada.id)', '\(Demo.group)', \(ofGroup ?? "NULL"));
      INSERT INTO user_notification_preferences (user_id, vote_cast) VALUES ('\(Person.ada.id)', \(personal ?? "NULL"))
      """)

    let event = try await demo.cast("yes", by: .eva)
    _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore)

    let rates = try await demo.connection.query(
      "SELECT candidates, opted_out FROM push_rates_by_kind WHERE kind = 'vote_cast'"
    ).only()
    #expect(rates["candidates"] == "1" && rates["opted_out"] == (hasOptedOut ? "1" : "0"))
  }
}

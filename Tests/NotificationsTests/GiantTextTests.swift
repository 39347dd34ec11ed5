import PushPayload
import Testing

@testable import Notifications

/// A text that is one single giant character is cut like any other, so that people are pushed: every text of every kind.
struct GiantTextTests {
  static let giants = [
    "e" + String(repeating: "\u{301}", count: 2_000), Array(repeating: "👩", count: 900).joined(separator: "\u{200D}"),
  ]

  @Test(arguments: giants) func everyNoticeOfARowsOwnFits(giant: String) throws {
    #expect(giant.count == 1)
    let notices = SentenceTests.notices(about: giant)

    let kinds = Set(App.allCases.filter(\.profile.hasOwnTables).flatMap(\.profile.kinds).map(\.name))
    // A leading option is said by its time alone.
    #expect(Set(notices.map(\.notice.kind.name)) == kinds.subtracting([LeadingOptionChange.kind.name]))
    for (notice, recipient, _, _) in notices { try Self.check(notice.payload(for: recipient), notice.kind) }
  }

  @Test(arguments: giants) func everyRowOfAnAppFits(giant: String) throws {
    for kind in Kind.catalogue where !kind.app.profile.hasOwnTables {
      let columns: [String: PushPayload.Value] = [
        "entity_id": "1", "visit_id": "v1", "friend_user_id": "f1", "conversationId": "c1",
        "actor_username": .string(giant),
      ]
      let facts = ["order_number", "ticket_number", "customer_name", "device", "amount", "other"]
      let data = Dictionary(uniqueKeysWithValues: facts.map { ($0, PushPayload.Value.string(giant)) })
      let words: [String: PushPayload.Value] = ["title": .string(giant), "body": .string(giant)]
      for said in [words] + (kind.words == nil ? [] : [[:]]) {
        let entry = AppEntry(id: Sample.user, columns: columns.merging(said) { $1 }, data: data)
        try Self.check(AppNotice(kind, entry).payload(for: Recipient(.addressee)), kind)
      }
    }
  }

  private static func check(_ payload: PushPayload, _ kind: Kind) throws {
    let text = try payload.encoded()
    let alert = try #require(PushPayload(json: text.utf8)?.alert, "\(kind.name)")
    #expect(text.utf8.count <= PushPayload.maximumSize, "\(kind.name)")
    #expect(alert.title?.isEmpty == false && alert.body?.isEmpty == false, "\(kind.name)")
  }
}

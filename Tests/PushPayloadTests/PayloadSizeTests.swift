import FoundationEssentials
import PushPayload
import Testing

struct PayloadSizeTests {
  private let family = "👨‍👩‍👧‍👦"
  private let idMember = #","notification_id":"00000000-0000-0000-0000-000000000000""#

  @Test(arguments: ["x", "ä", "👨‍👩‍👧‍👦", "\"", "\\", "\u{1}", "e\u{301}"])
  func aBodyIsShortenedBetweenCharactersAndFillsTheRoom(character: String) throws {
    let body = String(repeating: character, count: 10_000)

    let text = try PushPayload(alert: .init(title: "T", body: body), values: ["type": "t"]).encoded()

    let shortened = try #require(try Decoded(text).aps.alert?.body)
    #expect(shortened.last == "…")
    #expect(shortened.dropLast().allSatisfy { String($0) == character })
    let withBadge = PushPayload.insertBadge(9_999_999_999, into: text)
    let complete = PushPayload.insertID(UUID(), as: .snakeCase, into: withBadge)
    #expect(complete.utf8.count <= 4096)
    #expect(complete.utf8.count > 4096 - 40)
  }

  @Test func aTextThatFitsExactlyIsKept() throws {
    let empty = try PushPayload(alert: .init(body: "")).encoded().utf8.count
    let room = 4096 - #""badge":9999999999,"#.utf8.count - idMember.utf8.count - empty

    let fitting = try PushPayload(alert: .init(body: String(repeating: "x", count: room))).encoded()
    let longer = try PushPayload(alert: .init(body: String(repeating: "x", count: room + 1))).encoded()

    #expect(try Decoded(fitting).aps.alert?.body?.last == "x")
    #expect(try Decoded(longer).aps.alert?.body?.last == "…")
    #expect(longer.utf8.count <= fitting.utf8.count)
  }

  @Test func withABadgeNoRoomIsLeftForOne() throws {
    var payload = PushPayload(alert: .init(body: String(repeating: "x", count: 5_000)))
    payload.badge = 1

    #expect(try payload.encoded().utf8.count == 4096 - idMember.utf8.count)
  }

  @Test func theTitleIsShortenedOnlyWhenTheBodyIsNotEnough() throws {
    let title = String(repeating: family, count: 500)

    let text = try PushPayload(alert: .init(title: title, subtitle: "S", body: "B")).encoded()

    let alert = try #require(try Decoded(text).aps.alert)
    #expect(alert.body?.isEmpty == true)
    #expect(alert.subtitle?.isEmpty == true)
    #expect(alert.title?.hasPrefix(family) == true)
    #expect(alert.title?.hasSuffix("\(family)…") == true)
  }

  @Test func aSingleCharacterLargerThanAPayloadIsDropped() throws {
    let monster = "a" + String(repeating: "\u{301}", count: 4_000)

    let text = try PushPayload(alert: .init(title: "T", body: monster)).encoded()

    #expect(try Decoded(text).aps.alert?.body == "…")
  }

  @Test func appKeysThatAreTooLargeAreRefused() {
    let payload = PushPayload(
      alert: .init(body: "short"), values: ["k": .string(String(repeating: "v", count: 4_100))])

    #expect(throws: PushPayload.TooLarge.self) { try payload.encoded() }
  }

  @Test(arguments: [
    ("four", 4, "four"), ("fivee", 4, "fiv…"), ("", 1, ""), ("ab", 1, "…"),
    ("e\u{301}e\u{301}e\u{301}", 4, "e\u{301}…"),
  ])
  func shortensToScalars(text: String, limit: Int, expected: String) {
    let shortened = text.shortened(toScalars: limit)

    #expect(shortened == expected)
    #expect(shortened.unicodeScalars.count <= limit)
  }
}

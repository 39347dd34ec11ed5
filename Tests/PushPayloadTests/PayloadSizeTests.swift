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
    let withBadge = #"{"aps":{"badge":9999999999,"# + text.dropFirst(#"{"aps":{"#.count)
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

  @Test func aLongTitleLeavesAShortBodyAsItIs() throws {
    let title = String(repeating: family, count: 500)

    let text = try PushPayload(alert: .init(title: title, subtitle: "S", body: "B")).encoded()

    let alert = try #require(try Decoded(text).aps.alert)
    #expect(alert.body == "B" && alert.subtitle == "S")
    #expect(alert.title?.hasPrefix(family) == true)
    #expect(alert.title?.hasSuffix("\(family)…") == true)
  }

  @Test func aSingleCharacterLargerThanAPayloadIsCutBetweenItsScalars() throws {
    let monster = "a" + String(repeating: "\u{301}", count: 4_000)

    let text = try PushPayload(alert: .init(title: "T", body: monster)).encoded()

    let body = try #require(try Decoded(text).aps.alert?.body).unicodeScalars
    #expect(text.utf8.count > PushPayload.maximumSize - 100)
    #expect(body.first == "a" && body.dropFirst().dropLast().allSatisfy { $0 == "\u{301}" } && body.last == "…")
  }

  @Test(arguments: ["v", "👨‍👩‍👧‍👦", "漢", "\"", "\u{1}"])
  func everyTextOfAPayloadCanBeShortened(character: String) throws {
    let long = String(repeating: character, count: 4_000)
    let values: [String: PushPayload.Value] = [
      "event_title": .string(long), "location": .string(long + long), "event_id": "e1", "deep_link": "app://events/e1",
      "event_time": "2026-06-15T12:00:00Z", "image_url": .string("https://e/" + long),
    ]

    let text = try PushPayload(alert: .init(title: long, body: long), values: values).encoded()

    #expect(PushPayload.insertID(UUID(), as: .snakeCase, into: text).utf8.count <= 4096)
    let payload = try Decoded(text)
    let alert = try #require(payload.aps.alert)
    #expect([alert.title, alert.body].allSatisfy { $0?.count ?? 0 > 5 && $0?.last == "…" })
    let received = try #require(PushPayload(json: text.utf8))
    for key in ["event_id", "deep_link", "event_time"] { #expect(received.values[key] == values[key]) }
    for key in ["event_title", "location"] {
      guard case .string(let text)? = received.values[key] else {
        Issue.record("\(key) is gone")
        continue
      }
      #expect(text.last == "…" && text.dropLast().allSatisfy { String($0) == character })
    }
    #expect(received.values["image_url"] == nil)
  }

  @Test func theAlertIsShortenedBeforeTheAppsKeysAndTheseFromTheLongestOn() throws {
    let values: [String: PushPayload.Value] = [
      "a": .string(String(repeating: "a", count: 1_200)), "b": .string(String(repeating: "b", count: 1_700)),
      "c": .string(String(repeating: "c", count: 900)),
    ]

    let text = try PushPayload(alert: .init(title: "T", body: String(repeating: "x", count: 2_000)), values: values)
      .encoded()

    let received = try #require(PushPayload(json: text.utf8))
    #expect(received.alert?.body?.utf8.count ?? 0 <= 506)
    #expect(received.values["a"] == values["a"] && received.values["c"] == values["c"])
    guard case .string(let shortened)? = received.values["b"] else { throw CancellationError() }
    #expect(shortened.hasSuffix("b…"))
  }

  @Test(arguments: ["id", "feedbackId", "project_ids", "type", "deep_link", "tap_action", "eventID"])
  func idsAreNeverShortened(name: String) {
    let payload = PushPayload(
      alert: .init(body: "short"), values: [name: .string(String(repeating: "v", count: 4_100))])

    #expect(throws: PushPayload.TooLarge.self) { try payload.encoded() }
  }

  @Test(arguments: ["paid", "bid", "covid", "valid"])
  func aNameThatOnlyEndsLikeAnIDsIsNone(name: String) throws {
    let payload = PushPayload(values: [name: .string(String(repeating: "v", count: 4_100))])

    #expect(try payload.encoded().contains("v…"))
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

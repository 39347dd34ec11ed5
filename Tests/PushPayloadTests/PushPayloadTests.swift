import FoundationEssentials
import PushPayload
import Testing

struct PushPayloadTests {
  @Test func writesApsFirstAndTheRestByName() throws {
    var payload = PushPayload(
      alert: .init(title: "New Vote", subtitle: "Orbit", body: "a/b"),
      values: ["type": "new_vote", "count": 2, "actionUrl": "feedbackkit://feedback/1"])
    payload.sound = "default"
    payload.threadID = "t"
    payload.category = "C"
    payload.interruptionLevel = .timeSensitive
    payload.relevanceScore = 0.5
    payload.isMutable = true
    payload.badge = 3

    let text = try payload.encoded()

    #expect(
      text == """
        {"aps":{"alert":{"body":"a/b","subtitle":"Orbit","title":"New Vote"},"badge":3,"category":"C",\
        "interruption-level":"time-sensitive","mutable-content":1,"relevance-score":0.5,"sound":"default",\
        "thread-id":"t"},"actionUrl":"feedbackkit://feedback/1","count":2,"type":"new_vote"}
        """)
  }

  @Test func aCriticalAlertHasACriticalSound() throws {
    var payload = PushPayload(alert: .init(body: "Hi"))
    (payload.interruptionLevel, payload.sound) = (.critical, "alarm.caf")

    let text = try payload.encoded()

    #expect(text.contains(#""sound":{"critical":1,"name":"alarm.caf","volume":1}"#))
    #expect(PushPayload(json: text.utf8)?.sound == "alarm.caf")
    payload.interruptionLevel = .timeSensitive
    #expect(try payload.encoded().contains(#""sound":"alarm.caf""#))
  }

  @Test func aSilentPushHasNothingButItsFlag() throws {
    var payload = PushPayload()
    payload.isContentAvailable = true

    #expect(try payload.encoded() == #"{"aps":{"content-available":1}}"#)
  }

  @Test func anAppKeyCannotReplaceAps() throws {
    #expect(try PushPayload(values: ["aps": "x", "b": "y"]).encoded() == #"{"aps":{},"b":"y"}"#)
  }

  @Test func escapesWhatJSONRequires() throws {
    let hostile = "\"quoted\" \\ \u{0}\u{1F} line\nend\r\t 👨‍👩‍👧‍👦 \u{2028}"

    let text = try PushPayload(alert: .init(title: hostile), values: [hostile: .string(hostile)]).encoded()

    #expect(try Decoded(text).aps.alert?.title == hostile)
    #expect(!text.utf8.contains { $0 < 0x20 })
  }

  @Test(arguments: ["", "{}", #"{"a":"b","aps":{}}"#, "not json"])
  func leavesOtherTextsAsTheyAre(text: String) {
    #expect(PushPayload.insertID(UUID(), as: .camelCase, into: text) == text)
  }

  @Test(arguments: [(PushPayload.IDKey.camelCase, "notificationId"), (.snakeCase, "notification_id")])
  func putsTheNotificationsIDBesideAps(key: PushPayload.IDKey, name: String) throws {
    let id = try #require(UUID(uuidString: "0C000000-0000-4000-8000-00000000000A"))
    let expected = #""\#(name)":"0c000000-0000-4000-8000-00000000000a"}"#

    let plain = PushPayload.insertID(id, as: key, into: try PushPayload(values: ["z": 1]).encoded())
    let bare = PushPayload.insertID(id, as: key, into: try PushPayload().encoded())

    #expect(plain == #"{"aps":{},"z":1,"# + expected)
    #expect(bare == #"{"aps":{},"# + expected)
  }

  @Test func appKeysAloneAreOneObject() {
    #expect(PushPayload(values: ["b": 1, "a": "x"]).encodedValues == #"{"a":"x","b":1}"#)
  }
}

/// The values that a device reads out of a payload.
struct Decoded: Decodable {
  struct Aps: Decodable {
    struct Alert: Decodable {
      let title: String?
      let subtitle: String?
      let body: String?
    }
    let alert: Alert?
    let badge: Int?
  }
  let aps: Aps

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Decoded.self, from: Data(text.utf8))
  }
}

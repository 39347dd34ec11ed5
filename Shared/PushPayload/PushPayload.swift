import Formats
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The payload of a push: Apple's `aps` dictionary, and the app's own keys beside it.
///
/// Source: https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
public struct PushPayload: Sendable, Equatable {
  /// The most bytes that APNs accepts.
  public static let maximumSize = 4096

  /// The text to show; `nil` for a push that shows none.
  public var alert: Alert?
  /// The number on the app icon; 0 removes it, `nil` leaves it as it is.
  public var badge: Int?
  /// The name of the sound; `default` is the system's, `nil` means silent.
  ///
  /// With the level ``InterruptionLevel/critical`` it is a critical sound at full volume.
  public var sound: String?
  /// The id of the group that the device shows the notification in.
  public var threadID: String?
  /// The name of the set of actions that the app registered.
  public var category: String?
  /// How much the push may disturb.
  public var interruptionLevel: InterruptionLevel?
  /// From 0 to 1: which notification the system puts first in a summary.
  public var relevanceScore: Double?
  /// Whether the app's service extension may change the push before it is shown.
  public var isMutable: Bool
  /// Whether the push wakes the app in the background.
  public var isContentAvailable: Bool
  /// The app's own keys.
  public var values: [String: Value]

  /// A payload with a text and the app's own keys; set everything else afterwards.
  public init(alert: Alert? = nil, values: [String: Value] = [:]) {
    self.alert = alert
    self.values = values
    isMutable = false
    isContentAvailable = false
  }

  /// The key of the notification's id in the payload; the id is in lower case.
  ///
  /// With this id the app reports that the push was opened or acted on.
  public enum IDKey: String, Sendable {
    case camelCase = "notificationId"
    case snakeCase = "notification_id"
  }

  /// The text of a push.
  public struct Alert: Sendable, Equatable {
    /// The first line.
    public var title: String?
    /// The second line.
    public var subtitle: String?
    /// The text below.
    public var body: String?

    /// A text from its parts.
    public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
      (self.title, self.subtitle, self.body) = (title, subtitle, body)
    }
  }

  /// How much a push may disturb, as Apple names it.
  public enum InterruptionLevel: String, Sendable {
    /// Listed without a sound and without lighting the screen.
    case passive
    /// The default.
    case active
    /// Breaks through a Focus; the app needs the capability.
    case timeSensitive = "time-sensitive"
    /// Sounds even when muted; the app needs an entitlement from Apple.
    case critical
  }

  /// The value of one of the app's own keys.
  public enum Value: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case string(String)
    case integer(Int)

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
  }

  /// The payload with texts shortened so that its JSON has at most `limit` bytes, if possible.
  ///
  /// It shortens in this order, each as far as needed: the body to 500 bytes; the subtitle and the title to 200; the
  /// app's own texts, the longest first, to 100, then to 40. Then it leaves out the addresses of images and pages, the
  /// longest first, and finally cuts the body, subtitle and title further. Ids, types, links into the app and texts of
  /// at most 40 bytes stay as they are.
  func shortened(to limit: Int) -> PushPayload {
    var payload = self
    payload.shortenAlert(to: limit, keeping: (body: 500, others: 200))
    payload.shortenValues(to: limit, keeping: 100)
    payload.shortenValues(to: limit, keeping: Self.shortestValue)
    for name in payload.names(where: Self.isAddress) where payload.json.count > limit { payload.values[name] = nil }
    payload.shortenAlert(to: limit, keeping: (body: 0, others: 0))
    return payload
  }

  private static let shortestValue = 40

  private mutating func shortenAlert(to limit: Int, keeping least: (body: Int, others: Int)) {
    for part in [\Alert.body, \Alert.subtitle, \Alert.title] {
      let excess = json.count - limit
      guard excess > 0 else { return }
      alert?[keyPath: part]?.shorten(byEncoded: excess, keeping: part == \Alert.body ? least.body : least.others)
    }
  }

  private mutating func shortenValues(to limit: Int, keeping least: Int) {
    for name in names(where: Self.isText) {
      let excess = json.count - limit
      guard excess > 0 else { return }
      guard case .string(var text)? = values[name] else { continue }
      text.shorten(byEncoded: excess, keeping: least)
      values[name] = .string(text)
    }
  }

  /// The names of the app's own long texts of a sort, the longest text first.
  private func names(where isMeant: (String) -> Bool) -> [String] {
    let texts = values.compactMap { name, value -> (name: String, size: Int)? in
      guard case .string(let text) = value, text.utf8.count > Self.shortestValue, isMeant(name) else { return nil }
      return (name, text.utf8.count)
    }
    return texts.sorted { ($1.size, $0.name) < ($0.size, $1.name) }.map(\.name)
  }

  private static func isAddress(_ name: String) -> Bool {
    ["url", "uri"].contains { name.lowercased().hasSuffix($0) }
  }

  /// A cut id, type or link would lead nowhere.
  private static func isText(_ name: String) -> Bool {
    let isID = ["id", "ids", "Id", "Ids", "ID", "IDs"].contains { ending in
      guard name.hasSuffix(ending) else { return false }
      let rest = name.dropLast(ending.count)
      return rest.isEmpty || rest.last == "_" || ending.first == "I"
    }
    return !isID && !isAddress(name) && !["type", "deep_link", "deepLink", "tap_action"].contains(name)
  }

  /// The payload is larger than APNs accepts even with the shortest texts.
  public struct TooLarge: Error, Equatable {
    /// Its size in bytes with the shortest texts, including the room for later insertions.
    public let size: Int
  }

  /// The payload as one line of JSON of at most ``maximumSize`` bytes: `aps` first, then the app's keys by name.
  ///
  /// Texts that do not fit are cut, between two characters where possible, and end with `…`, as ``shortened(to:)`` describes. It leaves
  /// room for ``insertID(_:as:into:)`` and, without a ``badge``, for the badge that the sender inserts.
  public func encoded() throws(TooLarge) -> String {
    let badgeRoom = badge == nil ? Self.badgeMember(Self.largestBadge).utf8.count + 1 : 0
    let room = Self.maximumSize - Self.idRoom - badgeRoom
    let whole = json
    let fitting = whole.count > room ? shortened(to: room).json : whole
    guard fitting.count <= room else { throw TooLarge(size: fitting.count + Self.maximumSize - room) }
    return String(decoding: fitting, as: UTF8.self)
  }

  /// Inserts the id of its notification into a payload that `encoded()` wrote, after the app's own keys.
  ///
  /// Any other text stays as it is.
  public static func insertID(_ id: UUID, as key: IDKey, into encoded: String) -> String {
    guard encoded.utf8.starts(with: #"{"aps":{"#.utf8), encoded.utf8.last == UInt8(ascii: "}") else { return encoded }
    return String(encoded[..<encoded.utf8.index(before: encoded.endIndex)]) + idMember(id, key) + "}"
  }

  /// The app's own keys alone, as one line of JSON.
  public var encodedValues: String {
    var object = JSONObject()
    addValues(to: &object)
    return String(decoding: object.bytes, as: UTF8.self)
  }

  private static func idMember(_ id: UUID, _ key: IDKey) -> String { #","\#(key.rawValue)":"\#(id.lowercased)""# }

  /// How many bytes ``insertID(_:as:into:)`` adds at most.
  static let idRoom = idMember(UUID(), .snakeCase).utf8.count

  private static let largestBadge = 9_999_999_999

  private static func badgeMember(_ badge: Int) -> String { #""badge":\#(badge)"# }

  /// The JSON without the room for later insertions.
  var json: [UInt8] {
    var aps = JSONObject()
    if let alert {
      var texts = JSONObject()
      texts.add("body", alert.body)
      texts.add("subtitle", alert.subtitle)
      texts.add("title", alert.title)
      aps.add("alert", texts)
    }
    aps.add("badge", badge)
    aps.add("category", category)
    aps.add("content-available", isContentAvailable ? 1 : nil)
    aps.add("interruption-level", interruptionLevel?.rawValue)
    aps.add("mutable-content", isMutable ? 1 : nil)
    aps.add("relevance-score", relevanceScore)
    if let sound, interruptionLevel == .critical {
      var critical = JSONObject()
      critical.add("critical", 1)
      critical.add("name", sound)
      critical.add("volume", 1)
      aps.add("sound", critical)
    } else {
      aps.add("sound", sound)
    }
    aps.add("thread-id", threadID)

    var payload = JSONObject()
    payload.add("aps", aps)
    addValues(to: &payload)
    return payload.bytes
  }

  private func addValues(to payload: inout JSONObject) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where name != "aps" {
      switch value {
      case .string(let text): payload.add(name, text)
      case .integer(let number): payload.add(name, number)
      }
    }
  }
}

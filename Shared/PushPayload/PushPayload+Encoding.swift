import Formats

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension PushPayload {
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
    return String(encoded.unicodeScalars.dropLast()) + idMember(id, key) + "}"
  }

  /// The app's own keys alone, as one line of JSON.
  public var encodedValues: String {
    var object = JSONObject()
    addValues(to: &object)
    return String(decoding: object.bytes, as: UTF8.self)
  }

  private static func idMember(_ id: UUID, _ key: IDKey) -> String { #","\#(key.rawValue)":"\#(id.lowercased)""# }

  private static let idRoom = idMember(UUID(), .snakeCase).utf8.count

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

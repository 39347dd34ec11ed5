import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

/// The message to FCM with the content of a push for APNs.
///
/// The texts are in `notification`. Everything else that Apple defines is in `apns`, for iOS devices that have only an
/// FCM token, and the part that Android knows is in `android`. The app's own keys become `data`.
/// Source: [FCM HTTP v1, Message](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
struct FCMMessage {
  /// FCM accepts this number of bytes of notification and data.
  ///
  /// This counts the whole message.
  static let limit = 4_096
  /// FCM keeps a message for at most four weeks.
  static let longestLife = 2_419_200
  /// FCM keeps at most four collapse keys for a device that is off, and does not say which if there are more.
  ///
  /// A device gets ``DeliveryBatch/quietPushesAnHour`` of these messages, three in an hour; the fourth key is the
  /// badge's.
  static let longestLifeOfState = 3_600

  private let push: QueuedPush
  private let alert: FCMAlert?
  private let aps: [RawJSON.Member]
  private let values: [RawJSON.Member]
  private let secondsToLive: Int
  /// The URL of the picture.
  ///
  /// Every system fetches it itself.
  private var image: String?

  /// The apps' own keys that name a picture: MessageAI's and Mugshot's.
  private static let imageKeys = ["imageUrl", "actor_avatar_url"]

  /// Reads a push; `nil` when its payload is not an object with an `aps` object.
  init?(_ push: QueuedPush, now: Date) {
    guard let members = try? RawJSON.members(validating: Array(push.payload.utf8)[...]),
      let aps = members.first(where: { $0.name == "aps" })?.value, aps.kind == .object
    else { return nil }
    self.push = push
    self.aps = aps.members.filter { $0.name != "alert" && $0.name != "badge" }
    alert = aps["alert"].flatMap(FCMAlert.init)
    values = members.filter { $0.name != "aps" && $0.value.kind != .null }
    image =
      alert == nil
      ? nil
      : Self.imageKeys.lazy.compactMap { [values] key in
        values.first { $0.name == key }?.value.stringValue
      }.first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
    secondsToLive = Int(min(max(push.expiresAt.timeIntervalSince(now), 0), Double(Self.longestLife)))
  }

  /// The request's body, shortened until it fits; `nil` when it cannot fit.
  ///
  /// The text's body is shortened first, then the title, each between two characters.
  func encoded() -> [UInt8]? {
    var alert = alert
    var message = self
    // A push without its picture is better than a push with a cut text.
    if json(alert).bytes.count > Self.limit { message.image = nil }
    for part in [\FCMAlert.body, \FCMAlert.title] {
      let excess = message.json(alert).bytes.count - Self.limit
      guard excess > 0 else { break }
      alert?.shorten(part, byEncoded: excess)
    }
    let body = Array(message.json(alert).bytes)
    return body.count <= Self.limit ? body : nil
  }

  private func json(_ alert: FCMAlert?) -> RawJSON {
    var message = [("token", RawJSON(push.device.token))]
    if let texts = alert?.texts(with: image) { message.append(("notification", texts)) }
    let data = data(showsText: alert != nil)
    if !data.isEmpty { message.append(("data", RawJSON(object: data))) }
    message += [("android", android(alert)), ("apns", apns(alert))]
    return RawJSON(object: [("message", RawJSON(object: message))])
  }

  /// The app's own keys, as strings: FCM takes nothing else.
  ///
  /// A name that FCM reserves gets the prefix `app_`. An Android app gets a badge without a text only from here.
  private func data(showsText: Bool) -> [(String, RawJSON)] {
    var data: [(String, RawJSON)] = []
    for member in values {
      let name = Self.isReserved(member.name) ? "app_\(member.name)" : member.name
      guard !data.contains(where: { $0.0 == name }) else { continue }
      let text = member.value.stringValue ?? String(decoding: member.value.bytes, as: UTF8.self)
      data.append((name, RawJSON(text)))
    }
    if !showsText, let badge = push.badge, !data.contains(where: { $0.0 == "badge" }) {
      data.append(("badge", RawJSON(String(badge))))
    }
    return data
  }

  private static func isReserved(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["from", "message_type", "collapse_key"].contains(name) || name.hasPrefix("google") || name.hasPrefix("gcm")
  }

  private func android(_ alert: FCMAlert?) -> RawJSON {
    let isState = alert == nil && push.badge == nil
    let life = isState ? min(secondsToLive, Self.longestLifeOfState) : secondsToLive
    var android = [
      ("priority", RawJSON(push.priority == 10 ? "HIGH" : "NORMAL")), ("ttl", RawJSON("\(life)s")),
    ]
    // A message has a key only if it is a state: then only the last one about its subject counts. An alert replaces the
    // one before on the screen by its tag, and none is lost.
    if alert == nil { android.append(("collapse_key", RawJSON(isState ? push.collapseID : "badge"))) }
    if alert != nil { android.append(("notification", androidNotification)) }
    return RawJSON(object: android)
  }

  private var androidNotification: RawJSON {
    var notification = [("tag", RawJSON(push.collapseID))]
    if let sound { notification.append(("sound", RawJSON(sound))) }
    if let channel = value("type") { notification.append(("channel_id", RawJSON(channel))) }
    if let badge = push.badge, badge > 0 { notification.append(("notification_count", RawJSON(badge))) }
    if let image { notification.append(("image", RawJSON(image))) }
    if let prominence { notification.append(("notification_priority", RawJSON(prominence))) }
    return RawJSON(object: notification)
  }

  /// The sound's name without a file ending: on Android a sound is a resource.
  private var sound: String? {
    guard let sound = aps.first(where: { $0.name == "sound" })?.value,
      let name = sound.stringValue ?? sound["name"]?.stringValue
    else { return nil }
    return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }

  private var prominence: String? {
    switch aps.first(where: { $0.name == "interruption-level" })?.value.stringValue {
    case "passive": "PRIORITY_LOW"
    case "time-sensitive": "PRIORITY_HIGH"
    case "critical": "PRIORITY_MAX"
    default: nil
    }
  }

  private func value(_ name: String) -> String? { values.first { $0.name == name }?.value.stringValue }

  private func apns(_ alert: FCMAlert?) -> RawJSON {
    let headers = [
      ("apns-push-type", push.pushType), ("apns-priority", String(push.priority)),
      ("apns-expiration", String(Int(push.expiresAt.timeIntervalSince1970))),
      ("apns-collapse-id", HTTP2Request.collapseID(push.collapseID)),
    ]
    var aps = aps.map { ($0.name, $0.value) }
    if let badge = push.badge { aps.append(("badge", RawJSON(badge))) }
    if let own = alert?.forApple { aps.append(("alert", own)) }
    // The app's service extension puts the picture in.
    if image != nil, !aps.contains(where: { $0.0 == "mutable-content" }) { aps.append(("mutable-content", RawJSON(1))) }
    var members = [
      ("headers", RawJSON(object: headers.map { ($0.0, RawJSON($0.1)) })),
      ("payload", RawJSON(object: [("aps", RawJSON(object: aps))])),
    ]
    if let image { members.append(("fcm_options", RawJSON(object: [("image", RawJSON(image))]))) }
    return RawJSON(object: members)
  }
}

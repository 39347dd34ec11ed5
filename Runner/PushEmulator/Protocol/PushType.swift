/// The eleven values of `apns-push-type`.
///
/// Source: https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
enum PushType: String, CaseIterable, Sendable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

  /// The suffix of the topic after the bundle id.
  var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: ".push-type.widgets"
    }
  }

  /// The values of `apns-priority` that it may have.
  var priorities: [String] {
    switch self {
    case .background: ["5"]
    case .liveactivity: ["10", "5"]
    default: ["10", "5", "1"]
    }
  }

  /// The largest payload in bytes.
  var payloadLimit: Int { self == .voip ? 5_120 : 4_096 }

  /// The type whose topics have this one's suffix; `nil` for a bare bundle id.
  static func owner(ofTopic topic: String) -> PushType? {
    allCases.first { !$0.topicSuffix.isEmpty && topic.hasSuffix($0.topicSuffix) }
  }
}

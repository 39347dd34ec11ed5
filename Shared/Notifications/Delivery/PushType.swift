/// The values of `apns-push-type`.
///
/// Source: [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package enum PushType: String, Sendable, CaseIterable {
  case alert
  case background
  case complication
  case controls
  case fileProvider = "fileprovider"
  case liveActivity = "liveactivity"
  case location
  case mdm
  case pushToTalk = "pushtotalk"
  case voip
  case widgets

  /// The topic of an app: its bundle id, with a suffix for some types.
  package func topic(_ bundleID: String) -> String { suffix.isEmpty ? bundleID : bundleID + suffix }

  /// The priority to send instead of the requested one: APNs accepts a background push with 5 only.
  package func priority(_ asked: Int) -> Int { self == .background ? 5 : asked }

  /// Whether it may set the app's badge; only an alert may.
  package var hasBadge: Bool { self == .alert }

  private var suffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileProvider: ".pushkit.fileprovider"
    case .liveActivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushToTalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: ".push-type.widgets"
    }
  }
}

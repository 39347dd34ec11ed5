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

  /// The priority to send instead of the requested one: APNs accepts a background push with 5 only, and one for a Live
  /// Activity with 5 or 10.
  package func priority(_ asked: Int) -> Int {
    switch self {
    case .background: 5
    case .liveActivity: max(asked, 5)
    default: asked
    }
  }

  /// Whether a later push replaces it on the screen by its collapse id.
  ///
  /// A Live Activity is changed by its token and the payload's timestamp.
  package var hasCollapseID: Bool { self != .liveActivity }

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

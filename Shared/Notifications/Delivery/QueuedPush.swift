package import FoundationEssentials

/// A due delivery with everything that sending needs.
package struct QueuedPush: Sendable, Equatable {
  package var id: UUID
  package var device: Device
  /// The encoded payload, which begins with `{"aps":{` and holds no badge.
  package var payload: String
  /// The current badge; `nil` leaves the app's as it is.
  package var badge: Int?
  /// `apns-push-type`.
  package var pushType: String
  /// `apns-priority`: 1, 5 or 10.
  package var priority: Int
  /// The same on every attempt, so that a duplicate replaces the first push.
  package var collapseID: String
  /// When the push becomes pointless; APNs also gives up then.
  package var expiresAt: Date
  /// The number of earlier attempts.
  package var attempts: Int
  /// The environment to try instead of the one in the device's row; `nil` if the row seems right.
  ///
  /// The row's environment refused the registered token with `BadDeviceToken`, and has accepted no push since.
  package var probe: PushEnvironment?
  /// Whether a second one would be seen beside the first, so that it is never sent again without an answer: it starts a
  /// Live Activity.
  package var isOnce = false
  /// The W3C trace context of the run that has decided it; `nil` without one.
  package var traceparent: String?

  package init(
    id: UUID, device: Device, payload: String, badge: Int? = nil, pushType: String = "alert", priority: Int = 10,
    collapseID: String, expiresAt: Date, attempts: Int = 0, probe: PushEnvironment? = nil,
    traceparent: String? = nil
  ) {
    (self.id, self.device, self.payload, self.badge) = (id, device, payload, badge)
    (self.pushType, self.priority, self.collapseID) = (pushType, priority, collapseID)
    (self.expiresAt, self.attempts, self.probe, self.traceparent) = (expiresAt, attempts, probe, traceparent)
  }

  /// Whether the other environment has refused the device's token.
  package var isProbe: Bool { probe != nil }

  /// Whether `BadDeviceToken` points to the host, the key or the app and not to the device.
  ///
  /// The token was accepted before; a token that never was may be invented.
  package var wasGood: Bool { (isProbe || device.isProven) && device.lastAcceptedAt != nil }

  /// A device at the time of the claim.
  package struct Device: Sendable, Equatable {
    /// The row's id: that of the device, or of the Live Activity whose token it is.
    package var id: UUID
    /// The person it belongs to.
    package var person: UUID
    package var provider: PushProvider
    package var app: String
    /// APNs' device token or FCM's registration token, of any length; never logged.
    package var token: String
    /// Where the token is valid; `nil` means the configured environment.
    package var environment: PushEnvironment?
    /// The app's bundle id; `nil` means the configured one.
    package var topic: String?
    /// When the app last registered the token.
    package var registeredAt: Date
    /// When APNs last accepted a push to it.
    package var lastAcceptedAt: Date?
    /// How often in a row APNs or FCM refused a push because there were too many.
    package var throttles: Int
    /// A counter that grows with each accepted push.
    package var acceptances: Int

    package init(
      id: UUID, person: UUID = UUID(), provider: PushProvider = .apns, app: String = "feedbackkit", token: String,
      environment: PushEnvironment? = nil, topic: String? = nil, registeredAt: Date, lastAcceptedAt: Date? = nil,
      throttles: Int = 0, acceptances: Int = 0
    ) {
      (self.id, self.person, self.provider, self.app) = (id, person, provider, app)
      (self.token, self.environment, self.topic) = (token, environment, topic)
      (self.registeredAt, self.lastAcceptedAt) = (registeredAt, lastAcceptedAt)
      (self.throttles, self.acceptances) = (throttles, acceptances)
    }

    /// Whether the row's environment has accepted the registered token.
    package var isProven: Bool {
      guard environment != nil, let lastAcceptedAt else { return false }
      return lastAcceptedAt >= registeredAt
    }
  }

  /// The largest payload that APNs accepts, in bytes.
  package static let payloadLimit = 4_096

  /// The payload with the badge, to send; `nil` if it is too large.
  ///
  /// A badge that would make the payload too large is left out: an old badge is better than no push. A background push
  /// has no badge.
  package var body: [UInt8]? {
    let plain = payload.utf8
    guard plain.count <= Self.payloadLimit else { return nil }
    guard let badge, PushType(rawValue: pushType)?.hasBadge ?? true, plain.starts(with: Self.opening) else {
      return Array(plain)
    }
    var body: [UInt8] = []
    body.reserveCapacity(plain.count + 24)
    body += Self.opening
    body += "\"badge\":\(badge)".utf8
    let rest = plain.dropFirst(Self.opening.count)
    if rest.first != UInt8(ascii: "}") { body.append(UInt8(ascii: ",")) }
    body += rest
    return body.count <= Self.payloadLimit ? body : Array(plain)
  }

  private static let opening = Array(#"{"aps":{"#.utf8)
}

/// The service that carries pushes to a device; the raw value is stored in `device_tokens.provider`.
package enum PushProvider: String, Sendable, CaseIterable {
  /// Apple's Push Notification service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm

  /// The name for people.
  package var title: String { self == .fcm ? "FCM" : "APNs" }

  /// Why pushes wait that no process sends.
  package var absence: String { "\(title) is not configured" }
}

/// Apple's environment that a device token belongs to.
package enum PushEnvironment: String, Sendable, CaseIterable {
  /// Builds signed for development.
  case sandbox
  /// TestFlight, Ad Hoc and the App Store.
  case production

  package var other: PushEnvironment { self == .sandbox ? .production : .sandbox }
}

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

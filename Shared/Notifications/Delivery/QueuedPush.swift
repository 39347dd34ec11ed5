public import FoundationEssentials

/// A due delivery with everything that is needed to send it.
public struct QueuedPush: Sendable, Equatable {
  /// The delivery's id.
  public var id: UUID
  /// Where it goes.
  public var device: Device
  /// The encoded payload, which begins with `{"aps":{` and holds no badge.
  public var payload: String
  /// The badge at this moment; `nil` leaves the app's as it is.
  public var badge: Int?
  /// `apns-push-type`.
  public var pushType: String
  /// `apns-priority`: 1, 5 or 10.
  public var priority: Int
  /// The same on every attempt, so that a duplicate replaces what it repeats.
  public var collapseID: String
  /// From then on the push is worthless; APNs gives up then too.
  public var expiresAt: Date
  /// Earlier attempts.
  public var attempts: Int
  /// The environment to send it to, no matter what the device's row names; `nil` where the row seems right.
  ///
  /// The other one has refused the token as it is registered, with `BadDeviceToken`, and nothing was accepted since.
  public var probe: PushEnvironment?

  /// A push from its parts.
  public init(
    id: UUID, device: Device, payload: String, badge: Int? = nil, pushType: String = "alert", priority: Int = 10,
    collapseID: String, expiresAt: Date, attempts: Int = 0, probe: PushEnvironment? = nil
  ) {
    (self.id, self.device, self.payload, self.badge) = (id, device, payload, badge)
    (self.pushType, self.priority, self.collapseID) = (pushType, priority, collapseID)
    (self.expiresAt, self.attempts, self.probe) = (expiresAt, attempts, probe)
  }

  /// Whether the environment that it does not go to has refused the device's token.
  public var isProbe: Bool { probe != nil }

  /// Whether a `BadDeviceToken` says more about the host, the key or the app than about the device.
  ///
  /// Its token was accepted once; one that never was may be made up.
  public var wasGood: Bool { (isProbe || device.isProven) && device.lastAcceptedAt != nil }

  /// A device as it stood when the delivery was taken.
  public struct Device: Sendable, Equatable {
    /// The row's id.
    public var id: UUID
    /// The person it belongs to.
    public var person: UUID
    /// The service that carries pushes to it.
    public var provider: PushProvider
    /// The app that it belongs to.
    public var app: String
    /// APNs' device token or FCM's registration token, of any length; never logged.
    public var token: String
    /// Where the token is valid; `nil` means the configured environment.
    public var environment: PushEnvironment?
    /// The app's bundle id; `nil` means the configured one.
    public var topic: String?
    /// When the app last registered the token.
    public var registeredAt: Date
    /// When APNs last accepted a push to it.
    public var lastAcceptedAt: Date?
    /// How often in a row there were too many pushes to it.
    public var throttles: Int
    /// Grows whenever a push to it was accepted.
    public var acceptances: Int

    /// A device from its parts.
    public init(
      id: UUID, person: UUID = UUID(), provider: PushProvider = .apns, app: String = "feedbackkit", token: String,
      environment: PushEnvironment? = nil, topic: String? = nil, registeredAt: Date, lastAcceptedAt: Date? = nil,
      throttles: Int = 0, acceptances: Int = 0
    ) {
      (self.id, self.person, self.provider, self.app) = (id, person, provider, app)
      (self.token, self.environment, self.topic) = (token, environment, topic)
      (self.registeredAt, self.lastAcceptedAt) = (registeredAt, lastAcceptedAt)
      (self.throttles, self.acceptances) = (throttles, acceptances)
    }

    /// Whether the token as it is registered now was accepted in the environment that the row names.
    public var isProven: Bool {
      guard environment != nil, let lastAcceptedAt else { return false }
      return lastAcceptedAt >= registeredAt
    }
  }
}

/// Which of Apple's two worlds a device token belongs to.
public enum PushEnvironment: String, Sendable, CaseIterable {
  /// Builds signed for development.
  case sandbox
  /// TestFlight, Ad Hoc and the App Store.
  case production

  /// The other one.
  public var other: PushEnvironment { self == .sandbox ? .production : .sandbox }
}

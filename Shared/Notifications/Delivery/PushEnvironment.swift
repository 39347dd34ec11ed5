/// Apple's environment that a device token belongs to.
package enum PushEnvironment: String, Sendable, CaseIterable {
  /// Builds signed for development.
  case sandbox
  /// TestFlight, Ad Hoc and the App Store.
  case production

  package var other: PushEnvironment { self == .sandbox ? .production : .sandbox }
}

/// The real host that a listener plays.
enum Face: String, Sendable, CaseIterable {
  /// `api.push.apple.com`.
  case production
  /// `api.sandbox.push.apple.com`.
  case sandbox
  /// `fcm.googleapis.com` and `oauth2.googleapis.com`.
  case fcm

  /// The environment of the valid device tokens.
  var environment: APNsEnvironment { self == .sandbox ? .sandbox : .production }

  /// How many streams a new connection may have.
  ///
  /// APNs allows one until the connection has had a valid provider token. Google's front ends allow 100.
  var firstStreams: UInt32 { self == .fcm ? 100 : 1 }
}

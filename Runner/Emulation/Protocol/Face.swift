/// Which of the hosts that senders know a listener plays.
package enum Face: String, Sendable, CaseIterable {
  /// `api.push.apple.com`.
  case production
  /// `api.sandbox.push.apple.com`.
  case sandbox
  /// `fcm.googleapis.com` and `oauth2.googleapis.com`.
  case fcm

  /// The environment whose device tokens are good here.
  package var environment: APNsEnvironment { self == .sandbox ? .sandbox : .production }

  /// How many streams a connection begins with.
  ///
  /// APNs allows one until a valid provider token has come by it; 100 is what Google's front ends allow.
  package var firstStreams: UInt32 { self == .fcm ? 100 : 1 }
}

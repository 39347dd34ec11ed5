import FunctionKit

/// A channel of APNs: one push on it reaches all Live Activities that listen to it.
///
/// Source: https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns
struct BroadcastChannel: Sendable, Equatable {
  /// In base64; Apple says not to rely on its length.
  let id: String
  let owner: Owner
  let policy: StoragePolicy

  /// The app and the environment that a channel belongs to.
  struct Owner: Sendable, Hashable {
    /// The bundle id.
    let app: String
    let environment: APNsEnvironment
  }

  /// Whether a push waits for phones that are offline; it is chosen when the channel is created.
  enum StoragePolicy: Int, Sendable {
    case none = 0
    /// The newest push waits, for eight hours at most.
    case mostRecent = 1
  }

  init(id: String, owner: Owner, policy: StoragePolicy) {
    (self.id, self.owner, self.policy) = (id, owner, policy)
  }

  /// Reads the form of ``members``.
  init(_ json: RawJSON) throws(BadRequest) {
    guard let id = try json.text("channel"), let app = try json.text("app"),
      let environment = try json.text("environment").flatMap(APNsEnvironment.init),
      let policy = try json.number("policy", in: 0...1).flatMap(StoragePolicy.init)
    else { throw BadRequest("A channel has channel, app, environment and policy.") }
    self.init(id: id, owner: Owner(app: app, environment: environment), policy: policy)
  }

  /// The members of its JSON.
  var members: [(String, RawJSON)] {
    [
      ("channel", RawJSON(id)), ("app", RawJSON(owner.app)), ("environment", RawJSON(owner.environment.rawValue)),
      ("policy", RawJSON(policy.rawValue)),
    ]
  }
}

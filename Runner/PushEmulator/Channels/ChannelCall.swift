/// A request to APNs' channel management API as it was understood, and its effect.
struct ChannelCall: Sendable {
  /// The sender's id if it is usable, else a new one.
  var requestID: String
  /// The provider token, if it is valid.
  var provider: ProviderToken?
  /// The act of the call, if the request is valid.
  var action: Action?
  var effect = Effect.accepted

  enum Verb: Sendable { case create, read, delete, list }

  enum Action: Sendable {
    case create(BroadcastChannel.Owner, BroadcastChannel.StoragePolicy)
    case read(BroadcastChannel)
    case delete(BroadcastChannel)
    case list(BroadcastChannel.Owner)
  }
}

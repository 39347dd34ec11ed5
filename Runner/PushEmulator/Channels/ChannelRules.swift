import Formats
import FoundationEssentials
import FunctionKit

/// APNs' rules for requests for channels and for broadcasts.
///
/// Apple does not say which reason a missing `apns-priority` or `apns-expiration` of a broadcast has, nor a body with
/// a storage policy other than 0 and 1. Here these are the reasons for a wrong value: `BadPriority`,
/// `BadExpirationDate` and `BadRequestParams`.
extension PushRules {
  /// The bundle id in `/4/broadcasts/apps/<bundle id>`.
  func checkBroadcastRoute(_ request: PushRequest) throws(Reason) -> String {
    let parts = Self.parts(request.path)
    guard parts.count == 4, parts[1...2] == ["broadcasts", "apps"], !parts[3].isEmpty else { throw .badPath }
    guard request.method == "POST" else { throw .methodNotAllowed }
    return parts[3]
  }

  /// The bundle id in `/1/apps/<bundle id>/channels` or `/1/apps/<bundle id>/all-channels`, and what is wanted.
  func checkChannelRoute(_ request: PushRequest) throws(Reason) -> (app: String, verb: ChannelCall.Verb) {
    let parts = Self.parts(request.path)
    guard parts.count == 4, parts[1] == "apps", !parts[2].isEmpty else { throw .badPath }
    switch (parts[3], request.method) {
    case ("channels", "POST"): return (parts[2], .create)
    case ("channels", "GET"): return (parts[2], .read)
    case ("channels", "DELETE"): return (parts[2], .delete)
    case ("all-channels", "GET"): return (parts[2], .list)
    case ("channels", _), ("all-channels", _): throw .methodNotAllowed
    default: throw .badPath
    }
  }

  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
  }

  /// Checks the bundle id of a path, which has no suffix.
  ///
  /// - Parameter topics: the bundle ids that the key is for; empty means all.
  func checkApp(_ app: String, topics: Set<String>) throws(Reason) {
    guard PushType.owner(ofTopic: app) == nil, bundleIDs.isEmpty || bundleIDs.contains(app) else {
      throw .topicDisallowed
    }
    guard topics.isEmpty || topics.contains(app) else { throw .topicMismatch }
  }

  /// The storage policy in the body that creates a channel.
  static func storagePolicy(_ body: [UInt8]) throws(Reason) -> BroadcastChannel.StoragePolicy {
    guard let json = try? RawJSON(validating: body[...]), json.kind == .object else { throw .badRequestPayload }
    guard json.members.allSatisfy({ ["message-storage-policy", "push-type"].contains($0.name) }) else {
      throw .badRequestParams
    }
    guard let type = json["push-type"] else { throw .missingPushType }
    guard type.stringValue == "LiveActivity" else { throw .invalidPushType }
    guard let policy = json["message-storage-policy"]?.intValue.flatMap(BroadcastChannel.StoragePolicy.init) else {
      throw .badRequestParams
    }
    return policy
  }

  /// Checks a broadcast's header fields and returns its payload.
  ///
  /// Source:
  /// https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns
  static func broadcastPayload(_ request: PushRequest, on channel: BroadcastChannel) throws(Reason) -> RawJSON {
    let headers = request.headers
    guard let type = headers.pushType else { throw .missingPushType }
    // Apple's table has a capital letter, and its sample has none.
    guard type.lowercased() == PushType.liveactivity.rawValue else { throw .invalidPushType }
    guard let priority = headers.priority, ["10", "5", "1"].contains(priority) else { throw .badPriority }
    guard let expiration = headers.expiration.flatMap(number), channel.policy == .mostRecent || expiration == 0 else {
      throw .badExpirationDate
    }
    guard request.body.count <= broadcastLimit else { throw .payloadTooLarge }
    guard let payload = try? RawJSON(validating: request.body[...]), payload.kind == .object else {
      throw .payloadEmpty
    }
    return payload
  }

  /// The largest payload of a broadcast, in bytes.
  private static let broadcastLimit = 5_120

  /// The id of a request for channels: the sender's, or a new one.
  static func requestID(_ headers: PushHeaders) throws(Reason) -> String {
    guard let id = headers.requestID ?? headers.id else { return UUID().lowercased }
    guard isCanonicalUUID(id) else { throw .badMessageID }
    return id
  }
}

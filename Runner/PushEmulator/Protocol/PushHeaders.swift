/// The header fields that APNs reads, collected in one pass.
struct PushHeaders: Sendable, Equatable {
  private(set) var authorization: String?
  private(set) var id: String?
  private(set) var topic: String?
  private(set) var pushType: String?
  private(set) var priority: String?
  private(set) var expiration: String?
  private(set) var collapseID: String?
  /// Only of requests for channels.
  private(set) var channelID: String?
  /// In place of ``id`` in requests for channels.
  private(set) var requestID: String?
  /// Whether one of them came twice.
  private(set) var hasDuplicates = false

  /// Takes a field of the request.
  ///
  /// Fields that APNs does not read are ignored.
  mutating func add(_ name: String, _ value: String) {
    switch name {
    case "authorization": keep(value, in: \.authorization)
    case "apns-id": keep(value, in: \.id)
    case "apns-topic": keep(value, in: \.topic)
    case "apns-push-type": keep(value, in: \.pushType)
    case "apns-priority": keep(value, in: \.priority)
    case "apns-expiration": keep(value, in: \.expiration)
    case "apns-collapse-id": keep(value, in: \.collapseID)
    case "apns-channel-id": keep(value, in: \.channelID)
    case "apns-request-id": keep(value, in: \.requestID)
    default: break
    }
  }

  private mutating func keep(_ value: String, in field: WritableKeyPath<Self, String?>) {
    if self[keyPath: field] != nil { hasDuplicates = true }
    self[keyPath: field] = value
  }
}

/// The header fields that APNs reads, collected in one pass.
package struct PushHeaders: Sendable, Equatable {
  package private(set) var authorization: String?
  package private(set) var id: String?
  package private(set) var topic: String?
  package private(set) var pushType: String?
  package private(set) var priority: String?
  package private(set) var expiration: String?
  package private(set) var collapseID: String?
  /// Whether one of them came twice.
  package private(set) var hasDuplicates = false

  package init() {}

  /// Takes a field of the request.
  ///
  /// Fields that APNs does not read are ignored.
  package mutating func add(_ name: String, _ value: String) {
    switch name {
    case "authorization": keep(value, in: \.authorization)
    case "apns-id": keep(value, in: \.id)
    case "apns-topic": keep(value, in: \.topic)
    case "apns-push-type": keep(value, in: \.pushType)
    case "apns-priority": keep(value, in: \.priority)
    case "apns-expiration": keep(value, in: \.expiration)
    case "apns-collapse-id": keep(value, in: \.collapseID)
    default: break
    }
  }

  private mutating func keep(_ value: String, in field: WritableKeyPath<Self, String?>) {
    if self[keyPath: field] != nil { hasDuplicates = true }
    self[keyPath: field] = value
  }
}

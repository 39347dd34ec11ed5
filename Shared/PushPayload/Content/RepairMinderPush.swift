/// The content of Repair Minder's pushes: something happened to an order, a device, a ticket or an enquiry.
public struct RepairMinderPush: PushContent {
  /// The name of what happened, even if this version does not know it; `nil` if the push has none.
  public let type: String?
  /// The id of the order, device, ticket or enquiry, in any form; `nil` for a push that opens nothing.
  public let entity: String?

  /// Something happened to an entity.
  public init(_ kind: Kind, entity: String?) { (type, self.entity) = (kind.rawValue, entity) }

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    (self.type, entity) = (type, values.text(Self.entityKey))
  }

  /// The kind of event; `nil` for a type that this version does not know.
  public var kind: Kind? { type.flatMap(Kind.init) }

  /// The app's own keys.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [:]
    values.set("type", type)
    values.set(Self.entityKey, entity)
    return values
  }

  /// The order, device, ticket or enquiry; quotes and payments belong to an order.
  public var link: DeepLink? {
    guard let entity, !entity.isEmpty else { return nil }
    return switch kind {
    case .orderCreated, .orderStatusChanged, .paymentReceived, .quoteApproved, .quoteRejected: .order(entity)
    case .deviceAssigned, .deviceStatusChanged: .device(entity)
    case .ticketMessage, .ticketReopened: .ticket(entity)
    case .enquiryReceived, .enquiryReply: .enquiry(entity)
    case nil: nil
    }
  }

  /// The key with the entity's id.
  package static let entityKey = "entity_id"

  /// The kinds of events; the raw values are the types of payloads.
  public enum Kind: String, Sendable, CaseIterable {
    case orderCreated = "order_created"
    case orderStatusChanged = "order_status_changed"
    case deviceAssigned = "device_assigned"
    case deviceStatusChanged = "device_status_changed"
    case ticketMessage = "ticket_message"
    case ticketReopened = "ticket_reopened"
    case paymentReceived = "payment_received"
    case enquiryReceived = "enquiry_received"
    case enquiryReply = "enquiry_reply"
    case quoteApproved = "quote_approved"
    case quoteRejected = "quote_rejected"
  }
}

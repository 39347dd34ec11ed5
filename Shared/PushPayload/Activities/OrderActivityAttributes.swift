import Formats

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Repair Minder: an order on the lock screen while it is worked on.
public struct OrderActivityAttributes: LiveActivityAttributes {
  /// The order's id.
  public var order: UUID { orderID.id }
  /// The order's number, as people know it.
  public private(set) var number: String?
  /// The name of the device that is repaired.
  public private(set) var device: String?
  private let orderID: ActivityID

  /// An order.
  public init(order: UUID, number: String?, device: String?) {
    orderID = ActivityID(id: order)
    (self.number, self.device) = (number, device)
  }

  private enum CodingKeys: String, CodingKey {
    case orderID = "order_id"
    case number = "order_number"
    case device
  }

  /// The place that a tap opens.
  public var link: DeepLink { .order(orderID.id.lowercased) }

  /// Cuts the device, then the number, each to 40 bytes at most.
  public mutating func shorten(by excess: Int) {
    let before = device?.utf8.count ?? 0
    device?.shorten(byEncoded: excess, keeping: 40)
    let left = excess - (before - (device?.utf8.count ?? 0))
    if left > 0 { number?.shorten(byEncoded: left, keeping: 40) }
  }

  /// The statuses with which work ends and nothing is left to do.
  package static let done = ["collected", "completed", "delivered", "closed"]
  /// The status of an order that is called off, or gone.
  package static let cancelled = "cancelled"

  /// How far the order is.
  public struct ContentState: LiveActivityPart {
    /// The order's status, a word of Repair Minder such as `in_repair` or `ready`.
    public var status: String
    /// Whether the work has ended.
    public var isDone: Bool
    private var change: ActivityTime
    private var close: ActivityTime

    /// When the order got its status, to the second.
    public var changedAt: Date { change.date }
    /// When the activity ends if the status does not change, to the second.
    public var closesAt: Date { close.date }

    /// An order's status.
    public init(status: String, isDone: Bool, changedAt: Date, closesAt: Date) {
      (self.status, self.isDone) = (status, isDone)
      (change, close) = (ActivityTime(changedAt), ActivityTime(closesAt))
    }

    private enum CodingKeys: String, CodingKey {
      case status
      case isDone = "is_done"
      case change = "changed_at"
      case close = "closes_at"
    }

    /// Cuts the status to 40 bytes at most.
    public mutating func shorten(by excess: Int) { status.shorten(byEncoded: excess, keeping: 40) }
  }
}

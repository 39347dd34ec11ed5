extension KindCase {
  /// Repair Minder inserts its notifications, without texts where its description has them.
  static let repairMinder = [
    repairMinder("order_created", order, ["title": "New Order", "body": "Order #1234 for John Smith"]),
    repairMinder("order_status_changed", order, ["data": #"{"order_number": 1234, "status": "ready"}"#]),
    repairMinder("device_assigned", device, ["title": "Device Assigned", "body": "iPhone 15 is yours"]),
    repairMinder(
      "device_status_changed", device, ["title": "Device Repaired", "body": "iPhone 15 is ready for testing"]),
    repairMinder("ticket_message", ticket, ["title": "Ticket #4521", "body": "Is it done?"]),
    repairMinder("ticket_reopened", ticket, ["data": #"{"ticket_number": 4521}"#]),
    repairMinder("payment_received", order, ["title": "Payment Received", "body": "£189.00 for Order #1234"]),
    repairMinder("enquiry_received", enquiry, ["data": #"{"customer_name": "John Smith", "device": "iPhone 15"}"#]),
    repairMinder("enquiry_reply", enquiry, ["title": "John Smith", "body": "Tomorrow is fine"]),
    repairMinder(
      "quote_approved", order,
      ["data": #"{"customer_name": "John Smith", "order_number": "1234", "amount": "£189.00"}"#]),
    repairMinder("quote_rejected", order, ["data": #"{"customer_name": "John Smith", "order_number": "1234"}"#]),
  ]

  /// Mugshot calls the body `message`.
  static let mugshot = [
    mugshot("new_visit_from_friend", visit, ["title": "New visit", "message": "mia was at Kaffee Haus"]),
    mugshot("like", visit, ["title": "New like", "message": "mia liked your visit"]),
    mugshot("comment", visit, ["title": "New comment", "message": "mia: Looks good!"]),
    mugshot("friend_request", friend, ["title": "Friend request", "message": "mia wants to be friends"]),
    mugshot("friend_accept", friend, ["title": "You are friends", "message": "mia accepted your request"]),
    mugshot(
      "friend_join", friend + #", "tap_action": "friends_feed""#, priority: 5,
      ["title": "mia is here", "message": "Say hello"]),
  ]

  static let messageAI = [
    entry(
      "messageai", "smart_notification",
      [
        "title": "MessageAI", "body": "Anna needs an answer by noon",
        "data": #"{"conversationId": "c-17", "messageId": "m-4", "priority": "high"}"#,
      ]), analysis("high"), analysis("medium", priority: 5), analysis("low", priority: 5),
    analysis("high", image: "https://example.com/anna.jpg"),
  ]

  /// A message that MessageAI's back-end finds worth telling.
  private static func analysis(_ weight: String, image: String? = nil, priority: Int = 10) -> KindCase {
    let avatar = image.map { #","senderAvatarUrl":"\#($0)""# } ?? ""
    return KindCase(
      app: "messageai", kind: "smart_notification", people: [1: "Ada"],
      call: Call(
        function: "analyze-for-notification",
        body: """
          {"userId":"a0000000-0000-4000-8000-000000000001","conversationId":"c-17","messageId":"m-4",
           "shouldNotify":true,"notificationText":"Anna needs an answer by noon","priority":"\(weight)"\(avatar)}
          """),
      pushes: [1: Push(variant: image == nil ? weight : "image", badge: 1)], priority: priority)
  }

  private static func repairMinder(_ kind: String, _ entity: String, _ columns: [String: String]) -> KindCase {
    entry("repairminder", kind, columns.merging(["entity_id": entity]) { $1 })
  }

  private static let order = "0d000000-0000-4000-8000-000000001234"
  private static let device = "de000000-0000-4000-8000-000000000015"
  private static let ticket = "1c000000-0000-4000-8000-000000004521"
  private static let enquiry = "ec000000-0000-4000-8000-000000000007"

  private static func mugshot(
    _ kind: String, _ facts: String, priority: Int = 10, _ columns: [String: String]
  ) -> KindCase {
    entry(
      "mugshot", kind, priority: priority, columns.merging(["data": #"{"actor_username": "mia", \#(facts)}"#]) { $1 })
  }

  private static let visit = """
    "visit_id": "f1000000-0000-4000-8000-000000000001", "cafe_name": "Kaffee Haus",
    "actor_avatar_url": "https://example.com/mia.jpg"
    """
  private static let friend = #""friend_user_id": "f2000000-0000-4000-8000-000000000002""#
}

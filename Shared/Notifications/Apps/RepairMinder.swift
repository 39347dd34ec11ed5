extension Kind {
  /// Repair Minder's kinds.
  public static let repairMinder: [Kind] = [
    repairMinder("order_created", .normal),
    repairMinder("order_status_changed", .normal),
    repairMinder("device_assigned", .actionRequired),
    repairMinder("device_status_changed", .normal),
    repairMinder("ticket_message", .actionRequired),
    repairMinder("ticket_reopened", .actionRequired),
    repairMinder("payment_received", .normal),
    repairMinder("enquiry_received", .actionRequired),
    repairMinder("enquiry_reply", .actionRequired),
    repairMinder("quote_approved", .actionRequired),
    repairMinder("quote_rejected", .actionRequired),
  ]

  private static func repairMinder(_ name: String, _ importance: Importance) -> Kind {
    Kind(.repairMinder, name, importance: importance, preference: .own)
  }
}

extension NoticeTemplate {
  /// The texts that Repair Minder's own description gives; the other kinds have none.
  static let repairMinder: [String: NoticeTemplate] = [
    // The description has words for only one of all statuses.
    "order_status_changed": NoticeTemplate(
      "Order Ready", "Order #{order_number} is ready for collection", status: "ready"),
    "enquiry_received": NoticeTemplate("New Enquiry", "{customer_name} has a question about {device} repair"),
    "ticket_reopened": NoticeTemplate("Ticket Reopened", "Customer replied to ticket #{ticket_number}"),
    "quote_approved": NoticeTemplate(
      "Quote Approved!", "{customer_name} approved quote for Order #{order_number} ({amount})"),
    "quote_rejected": NoticeTemplate("Quote Declined", "{customer_name} declined quote for Order #{order_number}"),
  ]
}

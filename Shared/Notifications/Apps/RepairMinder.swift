import PushPayload

extension AppProfile {
  static let repairMinder = AppProfile(
    title: "Repair Minder", kinds: RepairMinderPush.Kind.allCases.map(Kind.init),
    subjectNames: [RepairMinderPush.entityKey],
    link: { ReceivedPush<RepairMinderPush>($0).link },
    values: { _, entry in
      entry[RepairMinderPush.entityKey].map { [RepairMinderPush.entityKey: .string($0)] } ?? [:]
    },
    topic: "com.mendmyi.repairminder")
}

extension Kind {
  /// The words come from Repair Minder's own description.
  fileprivate init(_ kind: RepairMinderPush.Kind) {
    let (importance, words): (Importance, NoticeTemplate?) =
      switch kind {
      case .orderCreated, .deviceStatusChanged, .paymentReceived: (.normal, nil)
      // The description has words for one status only.
      case .orderStatusChanged:
        (.normal, .init("Order Ready", "Order #{order_number} is ready for collection", status: "ready"))
      case .deviceAssigned, .ticketMessage, .enquiryReply: (.actionRequired, nil)
      case .ticketReopened: (.actionRequired, .init("Ticket Reopened", "Customer replied to ticket #{ticket_number}"))
      case .enquiryReceived:
        (.actionRequired, .init("New Enquiry", "{customer_name} has a question about {device} repair"))
      case .quoteApproved:
        (
          .actionRequired,
          .init("Quote Approved!", "{customer_name} approved quote for Order #{order_number} ({amount})")
        )
      case .quoteRejected:
        (.actionRequired, .init("Quote Declined", "{customer_name} declined quote for Order #{order_number}"))
      }
    self.init(.repairMinder, kind.rawValue, importance: importance, words: words)
  }
}

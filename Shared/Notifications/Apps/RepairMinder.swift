import PushPayload

extension AppProfile {
  static let repairMinder = AppProfile(
    title: "Repair Minder", kinds: RepairMinderPush.Kind.allCases.map(Kind.init),
    subjectNames: [RepairMinderPush.entityKey],
    link: { ReceivedPush<RepairMinderPush>($0).link },
    values: { _, entry in
      entry[RepairMinderPush.entityKey].map { [RepairMinderPush.entityKey: .string($0)] } ?? [:]
    },
    activity: ActivityRule(
      attributesType: "\(OrderActivityAttributes.self)", opening: Kind(RepairMinderPush.Kind.orderCreated)),
    topic: "com.mendmyi.repairminder")
}

extension Kind {
  /// The words come from Repair Minder's own description.
  fileprivate init(_ kind: RepairMinderPush.Kind) {
    let (importance, words): (Importance, NoticeTemplate?) =
      switch kind {
      case .orderCreated, .deviceStatusChanged, .paymentReceived: (.normal, nil)
      // The description has words for one status only.
      case .orderStatusChanged: (.normal, NoticeTemplate(status: "ready"))
      case .deviceAssigned, .ticketMessage, .enquiryReply: (.actionRequired, nil)
      case .ticketReopened, .enquiryReceived, .quoteApproved, .quoteRejected: (.actionRequired, NoticeTemplate())
      }
    self.init(.repairMinder, kind.rawValue, importance: importance, words: words)
  }
}

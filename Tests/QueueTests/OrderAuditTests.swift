import Testing

@testable import Queue

/// Which events were taken after a newer one of their key by mistake.
struct OrderAuditTests {
  /// An event that is taken.
  struct Taking {
    var id: Int64
    var function = "f"
    var key: String? = "k"
    var partition = 0
    /// The number in its row, where it comes late.
    var writer: Int64?
    /// Of its poll.
    var xmin: Int64
  }

  struct History: CustomTestStringConvertible {
    var testDescription: String
    var takings: [Taking]
    /// The newer id that is named for the last one.
    var newer: Int64?

    init(_ name: String, _ takings: [Taking], _ newer: Int64?) {
      (testDescription, self.takings, self.newer) = (name, takings, newer)
    }
  }

  private static let epoch: Int64 = 1 << 32

  @Test(arguments: [
    History("it could be seen", [Taking(id: 5, xmin: 10), Taking(id: 3, writer: 9, xmin: 20)], 5),
    History("it may have run then", [Taking(id: 5, xmin: 10), Taking(id: 3, writer: 10, xmin: 20)], nil),
    History("it was begun after", [Taking(id: 5, xmin: 10), Taking(id: 3, writer: 15, xmin: 20)], nil),
    History(
      "a later poll could see it, and took a newer one",
      [Taking(id: 5, xmin: 10), Taking(id: 7, xmin: 20), Taking(id: 3, writer: 15, xmin: 30)], 7),
    History(
      "only a poll that took older ones could see it",
      [Taking(id: 9, xmin: 5), Taking(id: 4, writer: 6, xmin: 10), Taking(id: 6, writer: 7, xmin: 20)], nil),
    History("it is newer itself", [Taking(id: 5, xmin: 10), Taking(id: 6, writer: 9, xmin: 20)], nil),
    History("it is new", [Taking(id: 5, xmin: 10), Taking(id: 3, xmin: 20)], nil),
    History("of one poll, in turn", [Taking(id: 3, writer: 3, xmin: 9), Taking(id: 4, writer: 4, xmin: 9)], nil),
    History("of one poll, turned", [Taking(id: 4, writer: 4, xmin: 9), Taking(id: 3, writer: 3, xmin: 9)], 4),
    History("of another key", [Taking(id: 5, key: "l", xmin: 10), Taking(id: 3, writer: 9, xmin: 20)], nil),
    History("of another function", [Taking(id: 5, function: "g", xmin: 10), Taking(id: 3, writer: 9, xmin: 20)], nil),
    History("of another partition", [Taking(id: 5, partition: 1, xmin: 10), Taking(id: 3, writer: 9, xmin: 20)], nil),
    History("without a key", [Taking(id: 5, key: nil, xmin: 10), Taking(id: 3, key: nil, writer: 9, xmin: 20)], nil),
    // The transaction 8 has the subtransaction 12.
    History("in a subtransaction that runs", [Taking(id: 5, xmin: 8), Taking(id: 3, writer: 12, xmin: 20)], nil),
    History("in a subtransaction that had ended", [Taking(id: 5, xmin: 13), Taking(id: 3, writer: 12, xmin: 20)], 5),
    History(
      "before the numbers' lower half began anew",
      [Taking(id: 5, xmin: epoch + 5), Taking(id: 3, writer: epoch - 3, xmin: epoch + 9)], 5),
    History(
      "after the numbers' lower half began anew",
      [Taking(id: 5, xmin: epoch - 3), Taking(id: 3, writer: 7, xmin: epoch + 9)], nil),
    History(
      "in a later epoch", [Taking(id: 5, xmin: 3 * epoch + 10), Taking(id: 3, writer: 9, xmin: 3 * epoch + 20)], 5),
    History(
      "in a later epoch, it may have run",
      [Taking(id: 5, xmin: 3 * epoch + 10), Taking(id: 3, writer: 10, xmin: 3 * epoch + 20)], nil),
  ])
  func countsWhatCouldBeSeenWhenANewerOneWasTaken(_ history: History) {
    var audit = OrderAudit()
    audit.follow([0, 1])

    let found = history.takings.map { take($0, &audit) }

    #expect(found.last == history.newer)
    #expect(found.dropLast().allSatisfy { $0 == nil })
    #expect(audit.broken == (history.newer == nil ? 0 : 1))
  }

  private func take(_ taking: Taking, _ audit: inout OrderAudit) -> Int64? {
    audit.took(
      .of(taking.id, taking.function, key: taking.key, partition: taking.partition), writtenBy: taking.writer,
      xmin: taking.xmin)
  }

  @Test(arguments: ["no id is missing any more", "everything is read again", "nothing was missing"])
  func nothingIsRememberedWhen(_ why: String) {
    var audit = OrderAudit()
    if why != "nothing was missing" { audit.follow([0]) }
    _ = take(Taking(id: 5, xmin: 10), &audit)
    if why == "no id is missing any more" { audit.follow([]) }
    if why == "everything is read again" { audit.forget([0]) }
    audit.follow([0])

    #expect(take(Taking(id: 3, writer: 9, xmin: 20), &audit) == nil)
  }

  @Test func onlySoManyKeysAreRemembered() {
    var audit = OrderAudit()
    audit.follow([0])
    let keys = (0...OrderAudit.mostKeys).map { "k\($0)" }
    for key in keys { _ = take(Taking(id: 5, key: key, xmin: 10), &audit) }

    for key in keys { _ = take(Taking(id: 3, key: key, writer: 9, xmin: 20), &audit) }

    #expect(audit.broken == OrderAudit.mostKeys)
  }
}

import Testing

@testable import Queue

struct EventAuditTests {
  private let start = ContinuousClock.now

  private func seen(_ id: Int64, partition: Int = 3) -> EventAudit.Seen {
    EventAudit.Seen(place: .init(partition: partition, id: id, table: .events), function: "f", key: nil)
  }

  /// The findings of a look, when these events stand in the database and are not known.
  private func look(
    _ audit: inout EventAudit, after seconds: Int, last: Int64 = 10, unknown: Set<Int64>, known: Set<Int64> = []
  ) -> [Int64] {
    let ranges = audit.ranges([3: last])
    let found = ranges.map { range in
      unknown.union(known).sorted().filter { $0 > range.after && $0 <= range.through }.prefix(EventAudit.page).map {
        seen($0)
      }
    }
    return audit.found(found, isUnderLoad: false, now: start + .seconds(seconds)) { known.contains($0.place.id) }
      .map(\.place.id)
  }

  @Test func anEventThatNobodyHasInHandTwiceWasPassedBy() {
    var audit = EventAudit(now: start)

    #expect(look(&audit, after: 5, unknown: [4], known: [7]) == [])
    #expect(audit.suspects.keys.map(\.id) == [4])
    #expect(audit.nextLook == start + .seconds(7))
    #expect(look(&audit, after: 7, unknown: [4], known: [7]) == [4])
    #expect(audit.suspects.isEmpty)
  }

  @Test func oneThatWasHandledMeanwhileWasNot() {
    var audit = EventAudit(now: start)
    _ = look(&audit, after: 5, unknown: [4, 6])

    #expect(look(&audit, after: 7, unknown: [], known: [6]) == [])
    #expect(look(&audit, after: 20, unknown: [4, 6]) == [], "it has to be found twice again")
  }

  @Test func twoLooksCloseTogetherAreOne() {
    var audit = EventAudit(now: start)
    _ = look(&audit, after: 5, unknown: [4])

    #expect(look(&audit, after: 6, unknown: [4]) == [])
    #expect(look(&audit, after: 8, unknown: [4]) == [4])
  }

  @Test func aLongPartitionIsGoneThroughPageByPageAndFromItsBeginningAgain() {
    var audit = EventAudit(now: start)
    let waiting = Set(1...Int64(EventAudit.page) + 20)
    let last = Int64(EventAudit.page) + 30

    _ = look(&audit, after: 5, last: last, unknown: [], known: waiting)
    #expect(audit.ranges([3: last]) == [.init(partition: 3, after: Int64(EventAudit.page), through: last)])
    _ = look(&audit, after: 10, last: last, unknown: [], known: waiting)

    #expect(audit.ranges([3: last]) == [.init(partition: 3, after: 0, through: last)])
  }

  @Test func whoAsksHasALookSoonButNotAtOnceAgain() {
    var audit = EventAudit(now: start)
    _ = look(&audit, after: 5, unknown: [])
    #expect(audit.nextLook == start + .seconds(10))

    audit.lookSoon()

    #expect(audit.nextLook == start + .seconds(6))
  }

  @Test func aPartitionThatIsGivenAwayHasNoSuspects() {
    var audit = EventAudit(now: start)
    _ = look(&audit, after: 5, unknown: [4])

    #expect(audit.ranges([2: 10]) == [.init(partition: 2, after: 0, through: 10)])
    #expect(audit.suspects.isEmpty)
  }
}

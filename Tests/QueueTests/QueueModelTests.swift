import Testing

@testable import Queue

/// Nothing is lost or starts twice and keys keep their order, no matter what writers and the function do.
///
/// This holds for the lack of room, too.
struct QueueModelTests {
  /// One key at a time that a failed event blocks, one at a time, or several at once.
  @Test(arguments: 0..<60, [(true, 1), (false, 1), (false, 3)])
  func everyEventStartsOnceAndInTheOrderOfItsKey(_ seed: UInt64, _ kind: (blocks: Bool, together: Int)) {
    var model = QueueModel(
      seed: seed, most: [4, 12, 1_000][Int(seed % 3)], blocks: kind.blocks, together: kind.together)

    model.run(steps: 600)

    #expect(model.mostTogether == kind.together)

    let firsts = model.started.filter { $0.table == .events }.map(\.id)
    #expect(firsts.sorted() == model.committed.map(\.id).sorted())
    var place: [Int64: Int] = [:]
    for (index, id) in firsts.enumerated() { place[id] = index }
    for (index, event) in model.committed.enumerated() {
      for earlier in model.committed[..<min(index, event.after)] where earlier.key == event.key {
        #expect((place[earlier.id] ?? .max) < (place[event.id] ?? .min), "\(earlier) before \(event)")
      }
    }
  }

  @Test(arguments: 0..<60)
  func aFailedEventHoldsItsKeyUntilItSucceeds(_ seed: UInt64) {
    var model = QueueModel(seed: seed, most: [4, 12, 1_000][Int(seed % 3)], blocks: true)

    model.run(steps: 600)

    let position = Dictionary(
      model.started.enumerated().filter { $0.element.table == .events }.map { ($0.element.id, $0.offset) }
    ) { first, _ in first }
    for (index, event) in model.committed.enumerated() {
      for earlier in model.committed[..<min(index, event.after)] where earlier.key == event.key {
        #expect((model.endedAt[earlier.id] ?? .max) <= (position[event.id] ?? .min), "\(earlier) before \(event)")
      }
    }
  }
}

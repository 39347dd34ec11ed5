@testable import Queue

extension HandOverModel {
  struct Key: Hashable {
    /// The state without transaction numbers and cursors.
    var state: HandOverModel
    var cursors: [Int64]
    /// The places of the transaction numbers among each other: only their order counts, see ``CursorModel/key``.
    var places: [Int]
  }

  var key: Key {
    var key = Key(state: self, cursors: [], places: [])
    var numbers = [database.latestCompleted]
    for index in database.writers.indices {
      numbers.append(database.writers[index].phase == .ended ? 0 : database.writers[index].number)
      key.state.database.writers[index].number = 0
    }
    for index in engines.indices {
      Self.take(&key.state.engines[index].cursor, &key.cursors, &numbers)
      if var poll = key.state.engines[index].poll {
        Self.take(&poll, &key.cursors, &numbers)
        key.state.engines[index].poll = poll
      }
    }
    for index in abandoned.indices { Self.take(&key.state.abandoned[index], &key.cursors, &numbers) }
    (key.state.database.latestCompleted, key.state.database.nextNumber, key.state.database.readers) = (0, 0, [])
    let sorted = Set(numbers + [0]).sorted()
    key.places = numbers.map { sorted.firstIndex(of: $0) ?? 0 }
    return key
  }

  private static func take(_ poll: inout Poll, _ cursors: inout [Int64], _ numbers: inout [Int64]) {
    take(&poll.cursor, &cursors, &numbers)
    numbers += [poll.own ?? 0, poll.xmin]
    // Whether it has a number counts when the answer is taken in.
    (poll.own, poll.xmin) = (poll.own == nil ? nil : 0, 0)
  }

  private static func take(_ cursor: inout PartitionCursor?, _ cursors: inout [Int64], _ numbers: inout [Int64]) {
    cursors.append(cursor?.last ?? -1)
    for hole in cursor?.holes ?? [] {
      cursors += [hole.ids.lowerBound, hole.ids.upperBound]
      numbers.append(hole.bound ?? 0)
    }
    cursor = nil
  }
}

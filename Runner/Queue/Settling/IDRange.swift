/// Ids of one partition that follow each other without a gap.
struct IDRange: Equatable {
  var partition: Int
  var low: Int64
  var high: Int64
  /// Where its first id stands among all, from 1.
  var position: Int

  /// The fewest ranges that hold these places, and no other; the places are in their order.
  static func covering(_ places: [QueuedEvent.Place]) -> [IDRange] {
    var ranges: [IDRange] = []
    for (index, place) in places.enumerated() {
      if let last = ranges.last, last.partition == place.partition, last.high + 1 == place.id {
        ranges[ranges.count - 1].high = place.id
      } else {
        ranges.append(IDRange(partition: place.partition, low: place.id, high: place.id, position: index + 1))
      }
    }
    return ranges
  }
}

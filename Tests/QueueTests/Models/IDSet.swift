/// A few small ids, from 1 to 15.
struct IDSet: Hashable {
  var bits: UInt16 = 0

  init(bits: UInt16 = 0) { self.bits = bits }

  init(_ range: ClosedRange<Int64>) {
    for id in range where id <= 15 { insert(id) }
  }

  var isEmpty: Bool { bits == 0 }

  var ids: [Int64] { (1...15).filter { contains($0) } }

  func contains(_ id: Int64) -> Bool { bits & 1 << id != 0 }

  mutating func insert(_ id: Int64) { bits |= 1 << id }

  func union(_ other: IDSet) -> IDSet { IDSet(bits: bits | other.bits) }

  func intersection(_ other: IDSet) -> IDSet { IDSet(bits: bits & other.bits) }

  func subtracting(_ other: IDSet) -> IDSet { IDSet(bits: bits & ~other.bits) }
}

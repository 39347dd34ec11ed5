import FoundationEssentials

/// A hash that is the same in every process, on every machine and in every release: FNV-1a, mixed at the end.
///
/// Without the mixing, the lowest bits of the hashes in two spaces would be equal for all ids or for none. The groups
/// of two experiments would then be the same people.
struct StableHash {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ id: UUID, in space: String = "") {
    for byte in space.utf8 { add(byte) }
    withUnsafeBytes(of: id.uuid) { for byte in $0 { add(byte) } }
  }

  /// A number from 0 up to `bound`, evenly distributed.
  func number(below bound: UInt64) -> UInt64 { mixed.multipliedFullWidth(by: bound).high }

  private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// MurmurHash3's finalizer.
  private var mixed: UInt64 {
    var bits = (state ^ state >> 33) &* 0xff51_afd7_ed55_8ccd
    bits = (bits ^ bits >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return bits ^ bits >> 33
  }
}

/// A compiled time zone made by hand; any part of it can be made wrong.
struct ZoneFileSample {
  var magic = "TZif"
  var version: Character? = "2"
  var transitions: [Int64] = []
  var indices: [UInt8] = []
  var settings: [(offset: Int32, isDaylight: Bool, name: UInt8)] = [(0, false, 0)]
  var names = "LMT\0"
  var leapSeconds: [Int64] = []
  var footer: String? = ""

  var bytes: [UInt8] {
    guard version != nil else { return block(instantWidth: 4) }
    let footer = footer.map { Array("\n\($0)\n".utf8) } ?? []
    return Self(version: version).block(instantWidth: 4) + block(instantWidth: 8) + footer
  }

  private func block(instantWidth: Int) -> [UInt8] {
    let counts = [0, 0, leapSeconds.count, transitions.count, settings.count, names.utf8.count]
    var bytes = Array(magic.utf8) + [version?.asciiValue ?? 0] + [UInt8](repeating: 0, count: 15)
    bytes += counts.flatMap { integer(Int64($0), width: 4) }
    bytes += transitions.flatMap { integer($0, width: instantWidth) } + indices
    for setting in settings {
      bytes += integer(Int64(setting.offset), width: 4) + [setting.isDaylight ? 1 : 0, setting.name]
    }
    bytes += Array(names.utf8)
    return bytes + leapSeconds.flatMap { integer($0, width: instantWidth) + integer(1, width: 4) }
  }

  private func integer(_ value: Int64, width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }
}

/// The content of a compiled time zone, as RFC 9636 lays it out (TZif, versions 1 to 4).
struct ZoneFile {
  /// A clock setting: its distance from UTC and its name.
  struct Setting: Hashable {
    let offset: Int32
    let abbreviation: String
  }

  /// Ascending instants, in seconds since 1970-01-01T00:00:00Z; the clock is set at each of them.
  let transitions: [Int64]
  /// For each transition, the index in `settings` of the setting from then on.
  let settingIndices: [Int]
  /// Never empty; the first one holds before the first transition.
  let settings: [Setting]
  /// The rules after the last transition; nil if its setting simply goes on.
  let footer: PosixZone?

  init(_ bytes: [UInt8]) throws(MalformedZoneFile) {
    var reader = ZoneFileReader(bytes)
    var header = try reader.header()
    if header.version >= 2 {
      _ = try reader.take(header.bodySize(instantWidth: 4))
      header = try reader.header()
    }
    guard header.leapSeconds == 0 else { throw MalformedZoneFile(reason: "it counts leap seconds") }

    let transitions = try reader.instants(count: header.transitions, width: header.version >= 2 ? 8 : 4)
    let indices = try reader.take(header.transitions).map(Int.init)
    let settings = try reader.settings(count: header.settings, characters: header.characters)
    _ = try reader.take(header.standardIndicators + header.utcIndicators)
    guard zip(transitions, transitions.dropFirst()).allSatisfy(<) else {
      throw MalformedZoneFile(reason: "its transitions are out of order")
    }
    guard !settings.isEmpty, indices.allSatisfy(settings.indices.contains) else {
      throw MalformedZoneFile(reason: "a transition leads to a setting it does not have")
    }

    self.transitions = transitions
    self.settingIndices = indices
    self.settings = settings
    footer = header.version >= 2 ? try reader.footer() : nil
  }
}

/// A file that is not a compiled time zone, or not one that can be used.
struct MalformedZoneFile: Error, Hashable {
  let reason: String
}

/// A position in the bytes of a compiled time zone; integers are big-endian.
struct ZoneFileReader {
  struct Header {
    let version: Int
    let utcIndicators, standardIndicators, leapSeconds, transitions, settings, characters: Int

    func bodySize(instantWidth: Int) -> Int {
      transitions * (instantWidth + 1) + settings * 6 + characters + leapSeconds * (instantWidth + 4)
        + standardIndicators + utcIndicators
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  mutating func take(_ count: Int) throws(MalformedZoneFile) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw MalformedZoneFile(reason: "its file is cut short") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func header() throws(MalformedZoneFile) -> Header {
    guard try take(4).elementsEqual("TZif".utf8) else {
      throw MalformedZoneFile(reason: "its file is not a compiled time zone")
    }
    let version = try take(16).first ?? 0
    return Header(
      version: version == 0 ? 1 : Int(version) - Int(UInt8(ascii: "0")),
      utcIndicators: try count(), standardIndicators: try count(), leapSeconds: try count(),
      transitions: try count(), settings: try count(), characters: try count())
  }

  mutating func instants(count: Int, width: Int) throws(MalformedZoneFile) -> [Int64] {
    var instants: [Int64] = []
    for _ in 0..<count { instants.append(try integer(width: width)) }
    return instants
  }

  mutating func settings(count: Int, characters: Int) throws(MalformedZoneFile) -> [ZoneFile.Setting] {
    var records: [(offset: Int32, name: Int)] = []
    for _ in 0..<count {
      let offset = try integer(width: 4)
      guard let offset = Int32(exactly: offset), abs(Int(offset)) < 26 * 3_600 else {
        throw MalformedZoneFile(reason: "it has an offset of over 26 hours")
      }
      records.append((offset, Int(try take(2).last ?? 0)))
    }
    let names = try take(characters)
    return records.map { record in
      let name = names.dropFirst(record.name).prefix { $0 != 0 }
      return ZoneFile.Setting(offset: record.offset, abbreviation: String(decoding: name, as: UTF8.self))
    }
  }

  mutating func footer() throws(MalformedZoneFile) -> PosixZone? {
    guard rest.count >= 2, rest.first == UInt8(ascii: "\n"), rest.last == UInt8(ascii: "\n") else {
      throw MalformedZoneFile(reason: "its footer is missing")
    }
    let text = rest.dropFirst().dropLast()
    return text.isEmpty ? nil : try PosixZone(String(decoding: text, as: UTF8.self))
  }

  private mutating func count() throws(MalformedZoneFile) -> Int {
    Int(try integer(width: 4)) & 0xFFFF_FFFF
  }

  private mutating func integer(width: Int) throws(MalformedZoneFile) -> Int64 {
    let bits = try take(width).reduce(0) { $0 << 8 | UInt64($1) }
    return width == 8 ? Int64(bitPattern: bits) : Int64(Int32(truncatingIfNeeded: bits))
  }
}

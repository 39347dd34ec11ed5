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

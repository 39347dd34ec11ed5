import Testing

@testable import TimeZones

struct ZoneFileTests {
  private static let sample = ZoneFileSample(
    transitions: [-3_000_000_000, 1_000], indices: [1, 0],
    settings: [(3_600, false, 0), (-7_200, true, 4)], names: "AAA\0BBBB\0", footer: "AAA-1")

  @Test func readsTheWideBlockOfANewFile() throws {
    let file = try ZoneFile(Self.sample.bytes)

    #expect(file.transitions == [-3_000_000_000, 1_000])
    #expect(file.settingIndices == [1, 0])
    #expect(file.settings.map(\.offset) == [3_600, -7_200])
    #expect(file.settings.map(\.abbreviation) == ["AAA", "BBBB"])
    #expect(file.footer == (try PosixZone("AAA-1")))
  }

  @Test(arguments: ["2", "3", "4"] as [Character])
  func readsEveryVersionWithAFooter(version: Character) throws {
    var sample = Self.sample
    sample.version = version

    #expect(try ZoneFile(sample.bytes).transitions == sample.transitions)
  }

  @Test func readsTheOnlyBlockOfAnOldFile() throws {
    var sample = Self.sample
    sample.version = nil
    sample.transitions = [-2_000_000_000, 1_000]

    let file = try ZoneFile(sample.bytes)

    #expect(file.transitions == [-2_000_000_000, 1_000])
    #expect(file.footer == nil)
  }

  @Test func anEmptyFooterLeavesTheLastSettingAsItIs() throws {
    var sample = Self.sample
    sample.footer = ""

    #expect(try ZoneFile(sample.bytes).footer == nil)
  }

  @Test(arguments: 0..<8)
  func refusesAFileThatIsCutShort(eighths: Int) {
    let bytes = Self.sample.bytes

    #expect(throws: MalformedZoneFile.self) { try ZoneFile(Array(bytes.prefix(bytes.count * eighths / 8))) }
  }

  @Test func refusesAnyFile() {
    #expect(throws: MalformedZoneFile(reason: "its file is not a compiled time zone")) {
      try ZoneFile(Array("#!/bin/sh".utf8))
    }
  }

  @Test func refusesCountsFarBeyondItsSize() {
    var bytes = Self.sample.bytes
    bytes.replaceSubrange(20..<44, with: [UInt8](repeating: 0xFF, count: 24))

    #expect(throws: MalformedZoneFile(reason: "its file is cut short")) { try ZoneFile(bytes) }
  }

  @Test func refusesAFileWithoutSettings() {
    #expect(throws: MalformedZoneFile.self) { try ZoneFile(ZoneFileSample(settings: []).bytes) }
  }

  @Test(arguments: [
    ("its transitions are out of order", altered { $0.transitions = [1_000, 1_000] }),
    ("a transition leads to a setting it does not have", altered { $0.indices = [1, 2] }),
    ("it has an offset of over 26 hours", ZoneFileSample(settings: [(100_000, false, 0)])),
    ("it counts leap seconds", altered { $0.leapSeconds = [78_796_800] }),
    ("its footer is missing", altered { $0.footer = nil }),
    ("its footer \"AAA\" is not a POSIX time zone", altered { $0.footer = "AAA" }),
    ("its footer \"nonsense\" is not a POSIX time zone", altered { $0.footer = "nonsense" }),
  ])
  func refusesWhatIsWrongAndSaysWhy(reason: String, sample: ZoneFileSample) {
    #expect(throws: MalformedZoneFile(reason: reason)) { try ZoneFile(sample.bytes) }
  }

  private static func altered(_ change: (inout ZoneFileSample) -> Void) -> ZoneFileSample {
    var sample = sample
    change(&sample)
    return sample
  }
}

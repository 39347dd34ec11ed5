import FoundationEssentials
import Testing

@testable import TimeZones

struct UnknownTimeZoneTests {
  @Test(arguments: [
    "", "/", "..", "../../etc/passwd", "Europe/../Europe/Berlin", "/etc/localtime", "Europe//Berlin", "Europe/",
    "Europe/Berlin\0", "Europe Berlin", "Europe/Bérlin", ":Europe/Berlin", "tzdata.zi",
    String(repeating: "a", count: 256),
  ])
  func refusesWhatCannotBeAName(identifier: String) {
    let error = #expect(throws: UnknownTimeZone.self) { try TimeZoneRules(identifier: identifier) }

    #expect(error?.reason == .malformedName)
  }

  @Test(arguments: ["Europe/Berln", "europe/berlin", "Europe", "UTC/Berlin", "Mars/Olympus_Mons"])
  func saysWhereItLookedForAZone(identifier: String) throws {
    let error = try #require(throws: UnknownTimeZone.self) { try TimeZoneRules(identifier: identifier) }

    #expect(error.reason == .notFound(database: ZoneDatabase.system.path))
    #expect(error.description.contains("\"\(identifier)\""))
  }

  @Test(arguments: [
    ("europe/berlin", "Europe/Berlin"), ("AMERICA/ARGENTINA/BUENOS_AIRES", "America/Argentina/Buenos_Aires"),
    ("utc", "UTC"), ("Asia/Tokyo", "Asia/Tokyo"),
  ])
  func capitalsNeedNotCount(name: String, identifier: String) throws {
    #expect(try TimeZoneRules(anyCase: name).identifier == identifier)
  }

  @Test(arguments: ["europe/berln", "europe", "europe/berlin/mitte", "../etc/passwd", ""])
  func whatIsNoZoneInAnyCaseIsUnknown(name: String) {
    #expect(throws: UnknownTimeZone.self) { try TimeZoneRules(anyCase: name) }
  }

  @Test func asksForThePackageWhereThereIsNoDatabase() throws {
    let database = ZoneDatabase(override: "/nonexistent/zoneinfo")

    let error = try #require(throws: UnknownTimeZone.self) {
      try TimeZoneRules(identifier: "Europe/Berlin", database: database)
    }

    #expect(error.reason == .databaseMissing(path: "/nonexistent/zoneinfo"))
    #expect(error.description.contains("Install the package tzdata."))
  }

  @Test(arguments: ["UTC", "Etc/UTC"])
  func utcNeedsNoDatabase(identifier: String) throws {
    let rules = try TimeZoneRules(identifier: identifier, database: ZoneDatabase(override: "/nonexistent/zoneinfo"))

    #expect(rules.identifier == identifier)
    #expect(rules.period(at: 0) == .init(start: nil, end: nil, offset: 0, abbreviation: "UTC"))
  }

  @Test func saysWhatIsWrongWithADamagedFile() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("TZif2".utf8).write(to: folder.appending(path: "Damaged"))

    let error = try #require(throws: UnknownTimeZone.self) {
      try TimeZoneRules(identifier: "Damaged", database: ZoneDatabase(override: folder.path))
    }

    #expect(error.reason == .unreadable("its file is cut short"))
    #expect(error.description == "The rules of time zone \"Damaged\" cannot be read: its file is cut short.")
  }

  @Test(arguments: [nil, ""])
  func theDatabaseIsDebiansUnlessAnotherIsNamed(override: String?) {
    #expect(ZoneDatabase(override: override).path == "/usr/share/zoneinfo")
    #expect(ZoneDatabase(override: "/srv/zones").path == "/srv/zones")
  }
}

import FunctionKit
import TestSupport
import Testing

@testable import Manifest
@testable import Runner

struct EnvReportTests {
  @Test func saysOfEachEntryWhetherItIsSetAndFromWhere() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      #"""
      {"apps":{"mugshot":{"bundleId":"com.example.mug"}},
       "functions":{"f":{"environment":["DATABASE_URL","IN_FILE","BY_FILE","GONE","LESS?","APNS_TOPICS"],
         "triggers":[{"http":"signature","secret":"HOOK"}]}}}
      """#, to: "functions.json")
    try folder.write("IN_FILE=hidden\nBY_FILE_FILE=secret\n", to: ".env")
    try folder.write("hidden", to: "secret")
    let project = try Project(directory: folder.path)

    let lines = EnvReport(project).lines(project.manifest.functions)

    let found = lines.map { "\($0.variable) \($0.state) \($0.from ?? "-")" }
    #expect(
      found == [
        "DATABASE_URL set the runner's own database", "IN_FILE set .env", "BY_FILE set \(folder.path)/secret",
        "GONE missing -", "LESS optional -", "APNS_TOPICS set functions.json", "HOOK missing -",
      ])
  }
}

import Documents
import Foundation
import FunctionKit
import TestSupport
import Testing

/// The schema of what commands print follows from the types.
struct DocumentTypesTests {
  private static let folder = "\(Schema.project)/Runner/Documents"

  private static func comments() throws -> DocComments {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    return DocComments(of: try files.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) })
  }

  private static func schema() throws -> SchemaBuilder {
    let schema = SchemaBuilder(try comments())
    try schema.add("events list", "runner events list, and events dead: the newest first.", [EventSummary].self)
    try schema.add(
      "events show", "runner events show EVENT.", EventSummary.self,
      with: [
        ("attempts", try schema.sample([EventAttempt].self).schema),
        (
          "event",
          [
            ("description", RawJSON("The CloudEvent, with redacted members; null where it is no longer known.")),
            ("type", RawJSON(array: [RawJSON("object"), RawJSON("null")])),
          ]
        ),
      ])
    try schema.add("why", "runner why EVENT, where no function has decided anything.", WhyReport.self)
    try schema.add("resend", "runner resend EVENT.", ResendDocument.self)
    let ids = try schema.sample([String].self).schema
    try schema.add("events retry", "runner events retry.", DeadLettersDocument.self, with: [("retried", ids)])
    try schema.add("events purge", "runner events purge.", DeadLettersDocument.self, with: [("purged", ids)])
    try schema.add("resume", "runner resume FUNCTION.", ResumeDocument.self)
    try schema.add("schedules list", "runner schedules list.", [ScheduleLine].self)
    try schema.add("schedules history", "runner schedules history: the newest first.", [ScheduleFire].self)
    try schema.add(
      "schedules fire", "runner schedules fire NAME --no-wait; without the option it prints a fire.", FiredDocument.self
    )
    try schema.add("schedules pause", "runner schedules pause NAME, and schedules resume.", PauseDocument.self)
    try schema.add("schedules next", "runner schedules next.", [OccurrenceLine].self)
    try schema.add("clock", "runner clock.", ClockDocument.self)
    try schema.add("list", "runner list.", [FunctionLine].self)
    try schema.add("doctor", "runner doctor, and doctor of the bundle's commands.", [FindingDocument].self)
    try schema.add("test", "runner test FILE…: one for each file.", [ReplayDocument].self)
    try schema.add("status", "runner status.", ProjectStatus.self)
    try schema.add("people", "Data of a panel of kind people.", PeopleDocument.self)
    try schema.add("recent", "Data of a panel of kind explain: the newest events (--recent).", RecentDocument.self)
    try schema.add("explain", "Data of a panel of kind explain: one event.", ExplainDocument.self)
    try schema.add("phones", "Data of a panel of kind phones.", PhonesDocument.self)
    return schema
  }

  @Test func theFileIsWhatTheTypesSay() throws {
    let file = "\(Self.folder)/documents.schema.json"
    let text = try Self.schema().text
    if Environment.current()["SCHEMA"] == "write" { try Data(text.utf8).write(to: URL(filePath: file)) }

    #expect(try RawJSON(validating: Array(text.utf8)[...]).kind == .object)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text, "Run \"make schema\".")
  }

  @Test func aTypeSaysWhatIsRequiredAndWhichWordsThereAre() throws {
    let text = try Self.schema().text

    #expect(text.contains(#""required": ["at","verdict","gates"]"#))
    #expect(
      text.contains(
        #""outcome": {"description":"The outcome of a notification.","enum":["told","merged","held","not_told"]}"#))
    #expect(
      text.contains(##""later": {"description":"The decisions that followed, each after a hold.","type":"array","##))
    #expect(text.contains(##""items":{"$ref":"#/$defs/DecisionReport.Recheck"}}"##))
  }

  @Test func anIdIsReadInEitherCaseAndWrittenInLowerCase() throws {
    let id = "A0000000-0000-4000-8000-00000000000B"

    let read = try JSONCoding.decode(RowID.self, from: RawJSON(id))

    #expect(String(decoding: try JSONCoding.encode(read).bytes, as: UTF8.self) == "\"\(id.lowercased())\"")
    #expect(throws: FunctionError.self) { try JSONCoding.decode(RowID.self, from: RawJSON("1")) }
  }
}

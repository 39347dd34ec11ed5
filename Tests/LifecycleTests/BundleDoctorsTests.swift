import FunctionKit
import TestSupport
import Testing

@testable import Lifecycle
@testable import Manifest

/// The findings that a runner makes of the answers of a bundle's doctors, and of none.
@Suite(.heavy)
struct BundleDoctorsTests {
  private let lines = LogLines()

  private func project(
    _ script: String, executable: String = "/bin/sh"
  ) throws -> (Project, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    try folder.write("page.on.title = Aus?\n", to: "de.strings")
    let arguments = String(decoding: RawJSON("exec \(script)").bytes, as: UTF8.self)
    try folder.write(
      """
      {"languages":".","functions":{},
        "commands":{"doctor mail":{"executable":"\(executable)","arguments":["-c",\(arguments)]}}}
      """, to: "functions.json")
    return (try Project(directory: folder.path), folder)
  }

  @Test func oneThatHangsKeepsNoRunnerFromStartingAndTheLogSaysSo() async throws {
    let (project, folder) = try project("sleep 100000")
    let doctors = BundleDoctors(project, timeLimit: .milliseconds(10))

    try await doctors.checkLanguages(log: lines.log)

    #expect(lines.count(of: "Nobody has checked the app's own texts") == 1)
    #expect(lines.contain("doctor mail has not said within 0 seconds what it thinks of the texts."))
    let settings = await doctors.complaints(.settings)
    #expect(settings.map(\.check) == ["doctor mail"] && settings.allSatisfy(\.isWarning))
    let error = await #expect(throws: FunctionError.self) { try await doctors.validateLanguages() }
    #expect(error?.code == .unavailable)
    withExtendedLifetime(folder) {}
  }

  @Test func oneThatCrashesKeepsNoRunnerFromStartingEither() async throws {
    let (project, folder) = try project("/bin/sh -c 'kill -9 $$'")
    let doctors = BundleDoctors(project)

    try await doctors.checkLanguages(log: lines.log)

    #expect(lines.contain("doctor mail has not said before it crashed what it thinks of the texts."))
    let error = await #expect(throws: FunctionError.self) { try await doctors.validateLanguages() }
    #expect(error?.code == .unavailable)
    withExtendedLifetime(folder) {}
  }

  @Test func oneThatIsMissingIsNamedWhereThereAreTexts() async throws {
    let (project, folder) = try project("true", executable: "./gone")
    let doctors = BundleDoctors(project)

    try await doctors.checkLanguages(log: lines.log)

    #expect(lines.count(of: "Nobody has checked the app's own texts") == 1)
    #expect(lines.contain("doctor mail says nothing of the texts: ") && lines.contain("gone could not be started: "))
    let error = await #expect(throws: FunctionError.self) { try await doctors.validateLanguages() }
    #expect(error?.code == .unavailable && error?.message.contains("gone could not be started: ") == true)
    #expect(await doctors.complaints(.settings).isEmpty)
    withExtendedLifetime(folder) {}
  }

  @Test func aCancelledTaskEndsTheQuestion() async throws {
    let (project, folder) = try project("sleep 100000")
    let check = Task { try await BundleDoctors(project, timeLimit: .seconds(100_000)).checkLanguages(log: lines.log) }

    check.cancel()

    await #expect(throws: CancellationError.self) { try await check.value }
    #expect(lines.count(of: "") == 0)
    withExtendedLifetime(folder) {}
  }

  @Test func aStartNamesTheFirstFaultAndAValidationEachOne() async throws {
    let (project, folder) = try project(
      #"""
      echo '[{"check":"languages","detail":"de.strings:1 is a","ok":false},
        {"check":"languages","detail":"de.strings:2 is b","ok":false},{"check":"languages","detail":"c","warning":true},
        {"check":"mail","detail":"d","ok":false}]'
      """#)
    let doctors = BundleDoctors(project)

    let start = await #expect(throws: FunctionError.self) { try await doctors.checkLanguages(log: lines.log) }
    let validation = await #expect(throws: FunctionError.self) { try await doctors.validateLanguages() }

    let place = "In ., which is \"languages\" of functions.json,"
    #expect(start?.code == .misconfigured && validation?.code == .misconfigured)
    #expect(start?.message == "\(place) de.strings:1 is a. It is not the only one: see runner validate.")
    #expect(validation?.message == "\(place) de.strings:1 is a.\nde.strings:2 is b.")
    #expect(lines.count(of: "") == 0)
    withExtendedLifetime(folder) {}
  }
}

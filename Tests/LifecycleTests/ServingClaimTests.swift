import FunctionKit
import Glibc
import TestSupport
import Testing

@testable import Lifecycle
@testable import Manifest

/// One runner at a time may serve from a folder.
struct ServingClaimTests {
  private func project(in folder: TemporaryDirectory) throws -> Project {
    try folder.write(#"{"functions":{}}"#, to: "functions.json")
    return try Project(directory: folder.path)
  }

  @Test func aSecondClaimIsRefusedAndSpoilsNothingOfTheFirst() async throws {
    let folder = try TemporaryDirectory()
    let project = try project(in: folder)
    let claim = try #require(try await ServingClaim.take(project))
    try RunnerState(url: "http://127.0.0.1:1", pid: getpid(), environment: [:]).write(project)

    await #expect(throws: FunctionError.self) { _ = try await ServingClaim.take(project) }

    #expect(RunnerState.read(project)?.url == "http://127.0.0.1:1")
    withExtendedLifetime(claim) {}
  }

  @Test func aFolderWhoseLockCannotBeOpenedIsNotServedWithoutIt() async throws {
    let folder = try TemporaryDirectory()
    let project = try project(in: folder)
    #expect(mkdir("\(try project.stateDirectory())/serving.lock", 0o700) == 0)

    await #expect(throws: (any Error).self) { _ = try await ServingClaim.take(project) }
  }
}

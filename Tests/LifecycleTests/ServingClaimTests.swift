import Foundation
import FunctionKit
import System
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

  @Test func anotherProjectsFolderIsRefusedAndOneWithoutARecordIsNot() async throws {
    let folders = (try TemporaryDirectory(), try TemporaryDirectory())
    let owner = try project(in: folders.0)
    var other = try project(in: folders.1)
    other.state = owner.state
    let claim = try #require(try await ServingClaim.take(owner))
    try RunnerState(url: "http://127.0.0.1:1", pid: getpid(), environment: [:]).write(owner)

    #expect(ServingClaim.other(owner) == nil && ServingClaim.other(other) == owner.directory)
    #expect(RunnerState.read(owner) != nil && RunnerState.read(other) == nil)
    let sentence = "The runner of \(owner.directory), process \(getpid()), keeps its state in \(owner.state). "
    #expect {
      try ServingClaim.refuseOthers(other)
    } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".hasPrefix(sentence)
    }
    await #expect {
      _ = try await ServingClaim.take(other)
    } throws: {
      ($0 as? FunctionError)?.code == .unavailable && "\($0)".hasPrefix(sentence)
    }

    // As runners wrote it before.
    try FileLock("\(owner.state)/serving.lock").write("\(getpid())\n")
    #expect(ServingClaim.other(other) == nil)
    withExtendedLifetime(claim) {}
  }

  /// It keeps what the services of the last runner have written.
  @Test func aFolderStaysThatOfTheProjectWhichItServedLast() async throws {
    let folders = (try TemporaryDirectory(), try TemporaryDirectory(), try TemporaryDirectory())
    var owner = try project(in: folders.0)
    var other = try project(in: folders.1)
    owner.state = folders.2.path
    _ = try await ServingClaim.take(owner)
    other.state = folders.2.path
    // A child that another test starts may share the lock until it runs its program.
    try #require(try await Polling.wait(until: .now + .seconds(120)) { ServingClaim.holder(owner) == nil })
    #expect(ServingClaim.other(other) == owner.directory)
    #expect(throws: Never.self) { try ServingClaim.refuseOthers(other) }
    #expect(throws: FunctionError.self) { try ServingClaim.refuseOthers(other, alsoEnded: true) }

    // A project that was copied with its folder is another one, and so is its folder.
    other.state = "\(other.directory)/state"
    _ = try other.stateDirectory()
    try FileManager.default.copyItem(atPath: "\(owner.state)/serving.lock", toPath: "\(other.state)/serving.lock")
    #expect(ServingClaim.other(other) == nil)

    other.state = folders.2.path
    try FileManager.default.removeItem(atPath: owner.directory)
    #expect(ServingClaim.other(other) == nil)
    _ = try await ServingClaim.take(other)
    #expect(TextFile.read("\(other.state)/serving.lock")?.hasPrefix("\(getpid())\n\(other.directory)\n") == true)
  }

  /// As after a move, or where a folder is mounted at two places.
  @Test func aProjectUnderAnotherPathIsTheSame() async throws {
    let (folder, state) = (try TemporaryDirectory(), try TemporaryDirectory())
    func project(_ name: String) throws -> Project {
      _ = mkdir("\(folder.path)/\(name)", 0o700)
      try folder.write(#"{"functions":{}}"#, to: "\(name)/functions.json")
      var project = try Project(directory: "\(folder.path)/\(name)")
      project.state = state.path
      return project
    }
    let owner = try project("one\nline")
    let claim = try #require(try await ServingClaim.take(owner))
    #expect(rename(owner.directory, "\(folder.path)/moved") == 0)
    let (next, moved, other) = (try project("one\nline"), try project("moved"), try project("other"))

    #expect(ServingClaim.other(moved) == nil)
    #expect(ServingClaim.other(next) == nil)
    #expect(ServingClaim.other(other) == owner.directory)
    withExtendedLifetime(claim) {}
  }
}

import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import LocalPostgres
@testable import System

struct LocalPostgresPartsTests {
  @Test func aMissingServerIsNamedWithItsPackage() {
    let error = #expect(throws: LocalPostgresError.self) {
      try ServerBinaries.find(version: nil, path: "/nowhere", distributions: ["/nowhere/else"])
    }

    #expect(error?.code == .notInstalled)
    #expect(error?.description.contains("apt-get install postgresql") == true)
  }

  @Test func theNewestServerMakesTheClusterAndItsMakerRunsIt() throws {
    let folder = try installations("9", "15", "16")

    #expect(try find(in: folder, version: nil).directory == "\(folder.path)/16/bin")
    #expect(try find(in: folder, version: 15).directory == "\(folder.path)/15/bin")
  }

  @Test func aServerInPathComesFirstAndMayBeOfAnyVersion() throws {
    let folder = try installations("15", "local")
    let path = "\(folder.path)/local/bin"

    let found = try ServerBinaries.find(version: 14, path: "/nowhere:\(path)", distributions: [folder.path])

    #expect(found.directory == path)
  }

  @Test func aClusterOfAVersionThatIsGoneNamesThePackage() throws {
    let folder = try installations("16")

    let error = #expect(throws: LocalPostgresError.self) { try find(in: folder, version: 13) }

    #expect(error?.description.contains("apt-get install postgresql-13") == true)
  }

  @Test func readsTheProcessFileOfAReadyServer() {
    let file = PostmasterFile("4711\n/data\n1700000000\n5432\n/run/x\n\n  5432001   98304\nready   \n")

    #expect(file?.process == 4711)
    #expect(file?.socketDirectory == "/run/x")
    #expect(file?.isReady == true)
  }

  @Test(arguments: ["4711\n", "4711\n/data\n1\n5432\n/run/x\n\n 1 2\nstarting\n", "4711\n/data\n1\n5432\n/run/x"])
  func aServerThatHasNotWrittenItAllIsNotReady(text: String) {
    #expect(PostmasterFile(text)?.isReady == false)
  }

  @Test(arguments: ["", "\n", "ready", "-1\n/data", "0\n"])
  func whatNamesNoProcessIsNoProcessFile(text: String) {
    #expect(PostmasterFile(text) == nil)
  }

  @Test func aProgramThatIsNoServerIsNotTakenForOne() throws {
    #expect(!Postmaster(process: getpid(), data: "/tmp").isRunning)
  }

  @Test(arguments: ["/run/user/1000", "/tmp/push-functions-0-0123456789abcdef"])
  func shortPlainPathsFitASocket(path: String) {
    #expect(SocketDirectory.isFit(path))
  }

  @Test(arguments: ["/a b", "/a,b", "/a\"b", "/a?b", "/ü", "/" + String(repeating: "x", count: 88)])
  func longOrOddPathsDoNot(path: String) {
    #expect(!SocketDirectory.isFit(path))
  }

  @Test func onlyAClusterWhoseProjectIsGoneForSureIsLeft() throws {
    let shelf = try TemporaryDirectory()
    let file = try shelf.write("", to: "file")
    func add(_ project: String, named name: String? = nil, _ text: String? = nil) throws -> String {
      let home = "\(shelf.path)/\(name ?? ClusterLayout.hash(of: project))"
      try Folder.make(home, mode: 0o700)
      try TextFile.replace("\(home)/project", with: text ?? "\(project)\n")
      return home
    }
    let gone = try add("\(shelf.path)/gone\nfor good")
    _ = try add(shelf.path)
    _ = try add("\(file)/below")
    _ = try add("\(shelf.path)/other", named: "0123456789abcdef")
    _ = try add("\(shelf.path)/half", "\(shelf.path)/ha")
    _ = try add("\(shelf.path)/empty", "")

    let left = LeftCluster.all(in: shelf.path)

    #expect(left.map(\.home) == [gone])
    #expect(try left[0].delete() && access(gone, F_OK) != 0)
  }

  @Test func refusesFoldersOfOthersAndLinks() throws {
    let folder = try TemporaryDirectory()
    let link = "\(folder.path)/link"
    symlink(folder.path, link)
    let file = try folder.write("", to: "file")

    #expect(throws: Never.self) { try Folder.require(folder.path, ownedBy: geteuid(), isPrivate: true) }
    #expect(throws: LocalPostgresError.self) { try Folder.require(folder.path, ownedBy: geteuid() + 1) }
    #expect(throws: LocalPostgresError.self) { try Folder.require(link, ownedBy: geteuid()) }
    #expect(throws: LocalPostgresError.self) { try Folder.require(file, ownedBy: geteuid()) }
    #expect(throws: (any Error).self) { try Folder.require("\(folder.path)/none", ownedBy: geteuid()) }
  }

  @Test func aLockThatIsHeldIsNotGivenTwice() throws {
    let folder = try TemporaryDirectory()
    let (one, other) = (try FileLock("\(folder.path)/lock"), try FileLock("\(folder.path)/lock"))

    #expect(one.take(.shared) && other.take(.shared))
    #expect(!one.take(.exclusive))
    #expect(other.take(.exclusive))
    #expect(!one.take(.shared))
    other.release()
    #expect(one.take(.shared))
  }

  @Test func rootRunsTheServerAsSomebodyElse() throws {
    #expect(try ServerAccount.needed(by: 1000) == nil)
    #expect(try ServerAccount.needed(by: 0)?.user != 0)
  }

  private func find(in folder: TemporaryDirectory, version: Int?) throws -> ServerBinaries {
    try ServerBinaries.find(version: version, path: nil, distributions: [folder.path])
  }

  private func installations(_ versions: String...) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    for version in versions {
      let bin = "\(folder.path)/\(version)/bin"
      try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
      for program in ["postgres", "initdb"] {
        try folder.write("", to: "\(version)/bin/\(program)", mode: 0o700)
      }
    }
    return folder
  }
}

import Foundation
import FunctionKit
import TestSupport
import Testing

@testable import Manifest

struct SettingsTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func settings(_ own: [String: String]) throws -> Settings {
    try Settings(own: Environment(own), directory: folder.path, names: ["KEY", "OTHER"])
  }

  @Test func theEnvironmentWinsOverTheFile() throws {
    try folder.write("KEY=file\nOTHER=file\nEMPTY=file\n", to: ".env")

    let settings = try settings(["KEY": "own", "EMPTY": ""])

    #expect(settings.environment["KEY"] == "own" && settings.origin(of: "KEY") == .environment)
    #expect(settings.environment["OTHER"] == "file" && settings.origin(of: "OTHER") == .dotEnv)
    #expect(settings.environment["EMPTY"] == nil && settings.origin(of: "EMPTY") == nil)
  }

  @Test func aSecretComesOutOfTheFileThatIsNamedAlsoByALink() throws {
    let secret = try folder.write("s3cret\n", to: "secret")
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: secret)

    let settings = try settings(["KEY_FILE": "\(folder.path)/link", "KEY": ""])

    #expect(settings.environment["KEY"] == "s3cret")
    #expect(settings.origin(of: "KEY") == .file("\(folder.path)/link"))
  }

  @Test func inTheProjectsFileAPathIsRelativeToIt() throws {
    try folder.write("s3cret", to: "secret")
    try folder.write("KEY_FILE=secret\n", to: ".env")

    #expect(try settings([:]).environment["KEY"] == "s3cret")
    // Whichever way the environment says it, it wins.
    #expect(try settings(["KEY": "own"]).environment["KEY"] == "own")
  }

  @Test(arguments: [("state", "/state"), ("../state", "/../state"), ("", "/.runner")])
  func theStateFolderOfTheProjectsFileIsRelativeToIt(_ value: String, _ place: String) throws {
    try folder.write(#"{"functions":{}}"#, to: "functions.json")
    try folder.write("RUNNER_STATE_DIR=\(value)\n", to: ".env")

    let project = try Project(directory: folder.path)

    #expect(project.state == "\(project.directory)\(place)")
  }

  @Test(arguments: [(["KEY": "a", "KEY_FILE": "/b"], ""), ([:], "OTHER=a\nKEY=a\nKEY_FILE=b\n")])
  func bothWaysAtOnceAreAMistake(_ own: [String: String], _ file: String) throws {
    try folder.write(file, to: ".env")

    #expect { try settings(own) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("KEY and KEY_FILE are both set")
    }
  }

  @Test func aFileThatIsNotThereIsNamed() {
    #expect { try settings(["KEY_FILE": "/nowhere/key"]) } throws: {
      "\($0)" == "KEY_FILE names /nowhere/key, which cannot be read."
    }
  }

  @Test func aFileWithoutAValueIsNoSecret() throws {
    let empty = try folder.write("\n", to: "empty")
    let large = try folder.write(String(repeating: "x", count: 65_537), to: "large")

    for (path, problem) in [
      (empty, "is empty"), (large, "has more than 65536 bytes"), (folder.path, "is not a regular file"),
    ] {
      #expect { try settings(["KEY_FILE": path]) } throws: {
        "\($0)" == "KEY_FILE names \(path), which \(problem)."
      }
    }
  }

  /// Such as `SSL_CERT_FILE`, which is no secret's.
  @Test func othersVariablesAreLeftAsTheyAre() throws {
    let settings = try settings(["SSL_CERT": "a", "SSL_CERT_FILE": "/nowhere"])

    #expect(settings.environment["SSL_CERT"] == "a" && settings.environment["SSL_CERT_FILE"] == "/nowhere")
  }

  @Test func aProjectHasItsFilesSettingsAndReadsSecretsThatFunctionsAskFor() throws {
    try folder.write(#"{"functions":{"echo":{"environment":["TOKEN"]}}}"#, to: "functions.json")
    try folder.write("t0ken\n", to: "token")
    try folder.write("TOKEN_FILE=token\nDATABASE_URL=postgresql:///elsewhere\n", to: ".env")

    let project = try Project(directory: folder.path)

    #expect(project.environment["TOKEN"] == "t0ken")
    #expect(!project.hasOwnDatabase)
    #expect(try project.databaseURL() == "postgresql:///elsewhere")
  }
}

/// Secrets that a service manager or a container has put into a folder.
struct CredentialTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write("s3cret\n", to: "KEY")
    try folder.write("KEY=file\nOTHER=file\n", to: ".env")
  }

  private func settings(_ own: [String: String] = [:]) throws -> Settings {
    try Settings(
      own: Environment(own.merging(["CREDENTIALS_DIRECTORY": folder.path]) { given, _ in given }),
      directory: folder.path, names: ["KEY", "OTHER"])
  }

  @Test func aCredentialIsTheVariableOfItsNameAndGoesBeforeTheProjectsFile() throws {
    let settings = try settings()

    #expect(settings.files == ["\(folder.path)/KEY"])
    #expect(settings.environment["KEY"] == "s3cret" && settings.origin(of: "KEY") == .file("\(folder.path)/KEY"))
    #expect(settings.environment["OTHER"] == "file" && settings.origin(of: "OTHER") == .dotEnv)
  }

  @Test func whatTheEnvironmentSetsWins() throws {
    let other = try folder.write("other", to: "other")

    #expect(try settings(["KEY": "own"]).environment["KEY"] == "own")
    #expect(try settings(["KEY_FILE": other]).environment["KEY"] == "other")
    #expect(try settings(["CREDENTIALS_DIRECTORY": "/nowhere"]).environment["KEY"] == "file")
  }

  @Test func anEmptyCredentialIsAMistake() throws {
    try folder.write("\n", to: "KEY")

    #expect { try settings() } throws: {
      ($0 as? FunctionError)?.code == .misconfigured
        && "\($0)" == "The credential KEY is \(folder.path)/KEY, which is empty."
    }
  }
}

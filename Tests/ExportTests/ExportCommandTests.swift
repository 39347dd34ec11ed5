import Foundation
import TestSupport
import Testing

/// `runner export ENGINE`, as people call it.
@Suite(.heavy)
struct ExportCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try write(#""tick":{"triggers":[{"schedule":"@daily"}]}"#)
  }

  private func write(_ functions: String) throws {
    try folder.write(#"{"functions":{\#(functions)}}"#, to: "functions.json")
  }

  private func export(_ words: String...) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("runner", ["export"] + words + ["--project", folder.path])
  }

  @Test func filesAreWrittenBesideTheBundleAndComparedLater() async throws {
    let written = try await export("systemd")
    #expect(
      written.exit == 0 && written.stdout.contains("wrote    \(folder.path)/deploy/systemd/push-functions.service"))
    #expect(try await export("systemd", "--diff").stdout == "")
    #expect(try await export("systemd").stdout == "6 files are as before in \(folder.path)/deploy/systemd\n")

    try write(#""tick":{"triggers":[{"schedule":"@hourly"}]}"#)
    let difference = try await export("systemd", "--diff")

    #expect(difference.exit == 1)
    #expect(
      difference.stdout.contains("\n-#  tick: @daily (UTC), ")
        && difference.stdout.contains("\n+#  tick: @hourly (UTC), "))
    #expect(try await export("systemd").exit == 0)
    #expect(try await export("systemd", "--diff").exit == 0)
  }

  @Test func aFileOfSomebodyElseIsNamedAndForceReplacesIt() async throws {
    let file = "\(folder.path)/out/runner.yaml"
    try FileManager.default.createDirectory(atPath: "\(folder.path)/out", withIntermediateDirectories: true)
    try "mine".write(toFile: file, atomically: true, encoding: .utf8)

    let refused = try await export("kubernetes", "--out", "\(folder.path)/out")
    #expect(refused.exit == 64 && refused.stderr.contains("runner.yaml") && refused.stderr.contains("--force"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out") == ["runner.yaml"])

    #expect(try await export("kubernetes", "--out", "\(folder.path)/out", "--force").exit == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("kind: Deployment"))
  }

  @Test(arguments: [
    (["systemd", "--beside", "http://127.0.0.1:8080"], "--beside goes with runner export nginx."),
    (["nginx", "--beside", "127.0.0.1:8080"], "127.0.0.1:8080 is no address of a server"),
    (["nginx", "--beside", "http://127.0.0.1:8080/api"], "is no address of a server"),
    (["nginx", "--beside", "http://a;b"], "is no address of a server"),
  ])
  func whatIsNoServerBesideIsRefused(_ words: [String], _ complaint: String) async throws {
    let outcome = try await BuiltExecutables.run("runner", ["export"] + words + ["--project", folder.path])

    #expect(outcome.exit == 64 && outcome.stderr.contains(complaint), "\(outcome.stderr)")
  }

  @Test func developmentIsAFolderThatEditorsKnow() async throws {
    let outcome = try await export("compose", "--dev")

    #expect(outcome.exit == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/.devcontainer").sorted() == [
        ".runner-export", "Dockerfile", "compose.yaml", "devcontainer.json",
      ])
    #expect(try await export("docker", "--dev").exit == 64)
  }

  @Test(arguments: [
    (["kubernets"], "There is no engine kubernets; did you mean kubernetes?"),
    (["nomad", "--out", "-"], "There is no engine nomad; it is one of systemd, nginx, compose"),
    (["systemd", "--froce"], "Unknown argument --froce; did you mean --force?"),
    (["systemd", "--name", "No Name"], "No Name is no name for a deployment"),
    (["systemd", "--host-name", "push.example.com"], "--host-name goes with runner export kubernetes."),
    (["kubernetes", "--host-name", "push.example.com,"], " is no name of a host"),
    (["systemd", "--function", "vote-cast"], "--function goes with the id of an event"),
  ])
  func aMistakeIsNamed(_ words: [String], _ complaint: String) async throws {
    let outcome = try await BuiltExecutables.run("runner", ["export"] + words + ["--project", folder.path])

    #expect(outcome.exit == 64 && outcome.stdout == "" && outcome.stderr.contains(complaint))
  }

  @Test func theDoctorSaysWhatAnEngineTakesAway() async throws {
    let knative = try await BuiltExecutables.run("runner", ["doctor", "--engine", "knative", "--project", folder.path])
    #expect(knative.exit == 0 && knative.stdout.contains("dead letter sink"))

    try write(#""tick":{"triggers":[{"schedule":"0 0 9 * * *"}]}"#)
    let refused = try await BuiltExecutables.run(
      "runner", ["doctor", "--engine", "lambda", "--project", folder.path, "--json"])
    #expect(refused.exit == 78 && refused.stdout.contains("functions.tick"))
  }
}

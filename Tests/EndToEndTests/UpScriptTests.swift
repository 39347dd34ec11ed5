import Glibc
import TestSupport
import Testing

/// The script `Runner/up` before there is a runner, with a compiler that builds nothing.
@Suite(.heavy)
struct UpScriptTests {
  /// A checkout with the scripts alone.
  private func checkout(build: String = "echo built > built") throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    guard mkdir("\(folder.path)/Runner", 0o700) == 0 else { throw SystemError("mkdir") }
    for script in ["Runner/up", "Runner/install"] { try folder.write(try House.text(script), to: script, mode: 0o700) }
    try folder.write(
      """
      #!/bin/sh
      if [ "$1" = --version ]; then echo "Swift version 6.3.1"; exit; fi
      \(build)
      """, to: "swift", mode: 0o700)
    return folder
  }

  private func environment(_ folder: TemporaryDirectory, _ variables: [String: String] = [:]) -> [String: String] {
    ["PATH": "\(folder.path):/usr/local/bin:/usr/bin:/bin"].merging(variables) { $1 }
  }

  private func isBuilt(_ folder: TemporaryDirectory) -> Bool { access("\(folder.path)/built", F_OK) == 0 }

  @Test(arguments: [("postgresql:///team", ""), (nil, "A=b\nexport DATABASE_URL = postgresql:///team\n")])
  func aDatabaseIsAskedAboutBeforeAnythingIsInstalledOrBuilt(_ variable: String?, _ file: String) async throws {
    let folder = try checkout()
    try folder.write(file, to: ".env")

    let variables = variable.map { ["DATABASE_URL": $0] } ?? [:]

    let outcome = try await BuiltExecutables.run(
      "\(folder.path)/Runner/up", environment: environment(folder, variables))
    let asked = try await BuiltExecutables.run(
      "/usr/bin/script", ["-qec", "'\(folder.path)/Runner/up'", "/dev/null"], stdin: "n\n",
      environment: environment(folder, variables.merging(["SHELL": "/bin/sh"]) { $1 }))

    #expect(outcome.exit == 64 && outcome.stderr.contains("say by --database that it is meant"))
    #expect(asked.exit == 0 && asked.stdout.contains("Is it meant?") && asked.stdout.contains("Nothing was done."))
    #expect(!isBuilt(folder))
  }

  @Test(arguments: [
    (#"DATABASE_URL="""#, false), ("DATABASE_URL=''", false), ("DATABASE_URL=  # none", false),
    ("DATABASE_URL=", false),
    (#"DATABASE_URL="postgresql:///x""#, true), ("DATABASE_URL='x'", true), ("DATABASE_URL_FILE=x", true),
  ])
  func anEmptyValueNamesNoDatabase(_ line: String, _ isNamed: Bool) async throws {
    let folder = try checkout()
    try folder.write("\(line)\n", to: ".env")

    let outcome = try await BuiltExecutables.run(
      "/bin/bash", ["-c", "cd '\(folder.path)' && source Runner/install && has_database_url"],
      environment: environment(folder))

    #expect(outcome.exit == (isNamed ? 0 : 1))
  }

  @Test func aDatabaseThatIsMeantIsBuiltFor() async throws {
    let folder = try checkout()

    let outcome = try await BuiltExecutables.run(
      "\(folder.path)/Runner/up", ["--database"], environment: environment(folder, ["DATABASE_URL": "postgresql:///x"]))

    #expect(isBuilt(folder) && outcome.stderr.contains(".build/debug/runner"))
  }

  @Test func aMovedCheckoutIsToldWhatToDelete() async throws {
    let folder = try checkout(
      build: """
        for line in $(seq 60); do echo "error: line $line"; done
        echo "PCH was compiled with module cache path '/old', but the path is currently '/new'"
        exit 1
        """)

    let outcome = try await BuiltExecutables.run(
      "/bin/bash", ["-c", "set -euo pipefail; cd '\(folder.path)'; source Runner/install; build -c release"],
      environment: environment(folder))

    #expect(outcome.exit == 1 && outcome.stderr.contains("rm -rf .build"))
    #expect(!outcome.stderr.contains("line 1"))
  }

  @Test func whoeverEndsItWhileItBuildsIsTold() async throws {
    let folder = try checkout(build: "echo '[1/2] Compiling' ; echo started > built; exec sleep 600")
    let program = try RunningProgram(
      "\(folder.path)/Runner/up", ["--database"], environment: environment(folder, ["DATABASE_URL": "postgresql:///x"]))
    try await eventually("it builds", within: .seconds(120)) { isBuilt(folder) }

    kill(-program.processID, SIGINT)

    #expect(try await program.exit(within: .seconds(120)) == 130)
    #expect(program.lines.contains("Stopped before anything was served."))
  }
}

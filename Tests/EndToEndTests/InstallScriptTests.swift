import Foundation
import TestSupport
import Testing

/// How the scripts install and download, with an `apt-get` that says what a test wants.
struct InstallScriptTests {
  private static let lock = """
    E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)
    E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?
    """
  private static let lists = """
    E: Could not get lock /var/lib/apt/lists/lock. It is held by process 813 (apt-get)
    E: Unable to lock directory /var/lib/apt/lists/
    """
  private static let mirror = "E: Failed to fetch http://deb.debian.org/x.deb  Connection failed"

  /// Runs some shell after `Runner/install`, where nothing waits.
  private func run(
    _ script: String, apt answers: [String] = [], in folder: TemporaryDirectory
  ) async throws -> BuiltExecutables.Outcome {
    for (number, answer) in answers.enumerated() { try folder.write(answer, to: "answer-\(number + 1)") }
    let apt = """
      #!/bin/sh
      echo "$@" >> '\(folder.path)/calls'
      answer='\(folder.path)/answer-'$(wc -l < '\(folder.path)/calls')
      [ ! -s "$answer" ] || { cat "$answer"; exit 100; }
      """
    for (name, text) in ["apt-get": apt, "sudo": "#!/bin/sh\nexec \"$@\"", "sleep": "#!/bin/sh\n:"] {
      try folder.write(text, to: name, mode: 0o700)
    }
    let setUp = "set -euo pipefail; source '\(House.root.path)/Runner/install'; cd '\(folder.path)'"
    return try await BuiltExecutables.run(
      "/bin/bash", ["-c", "\(setUp)\n\(script)"],
      environment: [
        "PATH": "\(folder.path):/usr/local/bin:/usr/bin:/bin", "PUSH_FUNCTIONS_CACHE": "\(folder.path)/cache",
      ])
  }

  private func calls(_ folder: TemporaryDirectory) throws -> [Substring] {
    try String(contentsOfFile: "\(folder.path)/calls", encoding: .utf8).split(separator: "\n")
  }

  @Test(arguments: [(lock, "process 812 (unattended-upgr)"), (lists, "process 813 (apt-get)")])
  func whoeverHoldsTheLockIsNamedAndWaitedFor(_ answer: String, _ holder: String) async throws {
    let folder = try TemporaryDirectory()

    let outcome = try await run("apt_get install x; echo done", apt: [answer, answer, answer, ""], in: folder)

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    #expect(outcome.stdout == "Waiting for apt: its lock is held by \(holder)\ndone\n")
    #expect(try calls(folder).count == 4)
  }

  @Test func aMirrorThatHiccupsIsAskedAgain() async throws {
    let folder = try TemporaryDirectory()

    let outcome = try await run("apt_get install x; echo done", apt: [Self.mirror, Self.mirror, ""], in: folder)

    #expect(outcome.exit == 0 && outcome.stdout.hasSuffix("done\n"))
    #expect(outcome.stdout.contains("apt-get install failed, and is tried again in 5 s: \(Self.mirror)"))
  }

  @Test(arguments: [(mirror, 4), ("E: Unable to locate package x", 1)])
  func whatFailsForGoodIsShown(_ answer: String, _ count: Int) async throws {
    let folder = try TemporaryDirectory()

    let outcome = try await run("apt_get install x", apt: Array(repeating: answer, count: 9), in: folder)

    #expect(outcome.exit == 100 && outcome.stderr.contains(answer))
    #expect(try calls(folder).count == count)
  }

  @Test func listsThatCannotBeUpdatedAreNoReasonToEnd() async throws {
    let folder = try TemporaryDirectory()

    let outcome = try await run(
      "update_lists; update_lists; echo done", apt: Array(repeating: Self.mirror, count: 9), in: folder)

    #expect(outcome.exit == 0 && outcome.stdout.hasSuffix("done\n"))
    #expect(outcome.stderr.contains("Not all of apt's lists could be updated"))
    #expect(try calls(folder).count == 4)
  }

  @Test func aFullDiskIsNamedAfterABuildThatFailed() async throws {
    let folder = try TemporaryDirectory()
    for (name, text) in ["swift": "echo 'No space left on device'; exit 1", "df": "echo Avail; echo ' 3'"] {
      try folder.write("#!/bin/sh\n\(text)\n", to: name, mode: 0o700)
    }

    let outcome = try await run("build -c release || echo failed", in: folder)

    #expect(outcome.stdout.hasSuffix("failed\n") && outcome.stderr.contains("No space left on device\n"))
    #expect(outcome.stderr.contains("The disk of .build is full: 3 MiB are left. Free some, then start this again.\n"))
  }

  /// A machine of root's with Debian 12, which a change makes another one.
  @Test(
    arguments: [
      ("id() { echo 1000; }", "nor is an export run in a container: only root does that, on Debian."),
      ("system_name() { echo debian-trixie; }", "No export is run in a container: their images are of Debian 12"),
      ("packages=none", "No export is run in a container: podman cannot be had"),
      ("pypi=none", "No export is run in a container: Debian or PyPI do not answer"),
      ("engine='not permitted'", "No export is run in a container: this machine allows none: not permitted."),
      ("engine=ready", nil),
    ] as [(String, String?)])
  func whereNoContainerRunsItIsSaidWhyNoExportIsTried(_ change: String, _ reason: String?) async throws {
    let folder = try TemporaryDirectory()
    let script = #"""
      id() { echo 0; }
      system_name() { echo debian-bookworm; }
      install_packages() { [[ $* != *podman* || ${packages:-} != none ]]; }
      once() { echo place; }
      keep_environment() { [[ ${pypi:-} != none ]] && echo place; }
      not_tested=() engine=
      mkdir -p cache .build Tests/containers
      """#
    let tried = #"""
      printf '#!/bin/sh\necho "%s"\n' "$engine" >Tests/containers/engine
      chmod 755 Tests/containers/engine
      make_systems
      printf '> %s\n' "${not_tested[@]}"
      [[ -L .build/containers ]] || echo "no containers"
      """#

    let outcome = try await run("\(script)\n\(change)\n\(tried)", in: folder)

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    #expect(reason.map(outcome.stdout.contains) ?? (outcome.stdout == "> \n"), "\(outcome.stdout)")
    #expect(outcome.stdout.contains("no containers") == (reason != nil), "\(outcome.stdout)")
  }

  @Test func allThatAManifestNamesIsCopied() async throws {
    let folder = try TemporaryDirectory()
    let script = #"""
      mkdir -p project/migrations/languages project/samples
      touch project/migrations/0001_x.sql project/migrations/languages/de.strings project/samples/{a,b}.json
      echo '{"migrations": ["migrations"], "languages": "migrations/languages", "functions": {
        "a": {"sample": "samples/a.json"}}}' > project/functions.json
      copy_named project/functions.json bundle && cd bundle && find . -type f | sort | xargs
      """#

    let outcome = try await run(script, in: folder)

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    #expect(outcome.stdout == "./migrations/0001_x.sql ./migrations/languages/de.strings ./samples/a.json\n")
  }

  @Test func whatIsDownloadedIsKeptForEveryCheckout() async throws {
    let folder = try TemporaryDirectory()
    let script = """
      make() { echo making; echo "$1" > "$2/file"; }
      first=$(once things/a make x) && second=$(once things/a make y) && echo "$second" && cat "$first/file"
      """

    let outcome = try await run(script, in: folder)

    #expect(outcome.stdout == "\(folder.path)/cache/things/a\nx\n")
    #expect(outcome.stderr == "making\n")
  }

  @Test func whatCouldNotBeDownloadedLeavesNothing() async throws {
    let folder = try TemporaryDirectory()
    let script = """
      make() { echo half > "$1/file"; return 3; }
      once things/a make || echo failed
      find cache/things -mindepth 1 ! -name '*.lock'
      """

    let outcome = try await run(script, in: folder)

    #expect(outcome.exit == 0)
    #expect(outcome.stdout == "failed\n")
  }

  @Test func twoCheckoutsDownloadOnce() async throws {
    let folder = try TemporaryDirectory()
    let script = """
      make() { echo made >> made; }
      once things/a make >one & once things/a make >two & wait
      cat made one two
      """

    let outcome = try await run(script, in: folder)

    let place = "\(folder.path)/cache/things/a\n"
    #expect(outcome.stdout == "made\n\(place)\(place)")
  }
}

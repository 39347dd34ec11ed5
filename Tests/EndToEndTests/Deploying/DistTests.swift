import Foundation
import FunctionKit
import TestSupport
import Testing

/// What is shipped, made twice of the programs under test.
@Suite(.startsProcesses)
struct DistTests {
  private func dist(into folder: String) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "\(House.root.path)/Runner/dist", ["--skip-build", "--level", "1", "--out", folder],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder,
        "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
      ], timeout: .seconds(900))
  }

  private func shell(_ script: String) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "/bin/bash", ["-euo", "pipefail", "-c", script], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
      timeout: .seconds(600))
  }

  @Test(
    .enabled(
      if: getenv("PUSH_FUNCTIONS_PRODUCTS") != nil && access("/usr/bin/dpkg-deb", X_OK) == 0,
      "Not run, because these are no release builds on Debian: Tests/run makes them."))
  func theSameProgramsMakeTheSameBytesAndRunFromAnywhere() async throws {
    let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
    for folder in [first, second] {
      let outcome = try await dist(into: folder.path)
      try #require(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    }

    let same = try await shell("diff -r '\(first.path)' '\(second.path)'")
    #expect(same.exit == 0, "\(same.stdout)")
    #expect(try await shell("cd '\(first.path)' && sha256sum --check --quiet SHA256SUMS").exit == 0)

    // Somewhere else, with the sums of each file, and nothing of this machine in the programs.
    let unpacked = try await shell(
      """
      mkdir '\(second.path)/x' && cd '\(second.path)/x' && tar --zstd -xf ../*.tar.zst && cd push-functions-*
      sha256sum --check --quiet SHA256SUMS
      ! grep -qrF '\(House.root.path)/' bin
      bin/runner validate && bin/runner doctor --engine systemd && echo '{"a":1}' | bin/runner invoke echo
      """)
    #expect(unpacked.exit == 0, "\(unpacked.stdout)\(unpacked.stderr)")
    #expect(unpacked.stdout.contains("functions.json is valid"))

    let package = try await shell("dpkg-deb --info '\(first.path)'/*.deb && dpkg-deb --contents '\(first.path)'/*.deb")
    #expect(package.stdout.contains("libpq5") && package.stdout.contains("./opt/push-functions/bin/vote-cast"))
    #expect(package.stdout.contains("./usr/lib/systemd/system/push-functions.service"))
    #expect(package.stdout.contains("root/root") && !package.stdout.contains("postinst"))
    let bill = try RawJSON(validating: Array(Data(contentsOf: URL(filePath: "\(first.path)/sbom.cdx.json")))[...])
    let names = bill["components"]?.elements?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(Set(names).isSuperset(of: ["swift", "libc6", "libpq5", "libssl3", "libnghttp2-14"]))
  }
}

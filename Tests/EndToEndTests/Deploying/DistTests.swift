import Foundation
import FunctionKit
import TestSupport
import Testing

/// The packages that are shipped, made twice of the programs under test.
@Suite(.heavy, .qualifiesReleases)
struct DistTests {
  private func dist(into folder: String, of products: String) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "\(House.root.path)/Runner/dist", ["--skip-build", "--level", "1", "--out", folder],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin",
        // Git's settings may be there.
        "HOME": ProcessInfo.processInfo.environment["HOME"] ?? folder,
        "PUSH_FUNCTIONS_PRODUCTS": products,
      ], timeout: .seconds(900))
  }

  private func shell(_ script: String) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "/bin/bash", ["-euo", "pipefail", "-c", script], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
      timeout: .seconds(600))
  }

  /// The commands that link every built program into another folder.
  private static func links(_ built: String, _ folder: TemporaryDirectory) -> String {
    "for file in '\(built)'/*; do [[ ! -f $file || ! -x $file ]] || ln -s \"$file\" '\(folder.path)/'; done"
  }

  /// Its files are made on a disk that is too small for them.
  @Test(
    .enabled(
      if: getenv("PUSH_FUNCTIONS_PRODUCTS") != nil && access("/usr/bin/dpkg-deb", X_OK) == 0 && getuid() == 0,
      "Not run: only root on Debian mounts a small disk, and Tests/run makes release builds."))
  func aFullDiskIsNamedAndNothingIsLeftThere() async throws {
    let folder = try TemporaryDirectory()
    let script = #"""
      mkdir "$2/small" "$2/out"
      mount -t tmpfs -o size=8m tmpfs "$2/small"
      status=0
      TMPDIR=$2/small "$1/Runner/dist" --skip-build --level 1 --out "$2/out" || status=$?
      echo "> $status, left: $(find "$2/small" "$2/out" -mindepth 1)"
      """#

    let outcome = try await BuiltExecutables.run(
      "/usr/bin/unshare", ["--mount", "bash", "-euo", "pipefail", "-c", script, "bash", House.root.path, folder.path],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder.path,
        "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
      ], timeout: .seconds(900))

    #expect(outcome.exit == 0 && outcome.stdout.hasSuffix("> 69, left: \n"), "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stderr.contains(/The disk of \S+\/small\/\S+ is full: [0-9] MiB are left\. Free some/))
  }

  @Test(
    .enabled(
      if: getenv("PUSH_FUNCTIONS_PRODUCTS") != nil && access("/usr/bin/dpkg-deb", X_OK) == 0,
      "Not run, because these are no release builds on Debian: Tests/run makes them."))
  func theSameProgramsMakeTheSameBytesAndRunFromAnywhere() async throws {
    let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
    // The second time from another folder, with links to the same objects.
    let elsewhere = try TemporaryDirectory()
    let built = BuiltExecutables.directory
    let linked = try await shell(
      "cp -rs '\(built)'/*.build '\(built)'/*.product '\(elsewhere.path)/'\n\(Self.links(built, elsewhere))")
    try #require(linked.exit == 0, "\(linked.stderr)")
    for (folder, products) in [(first, built), (second, elsewhere.path)] {
      let outcome = try await dist(into: folder.path, of: products)
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
      # Every program is there under its name, and is that program.
      for name in $(cd bin && ls); do [[ $name == functions ]] || [[ $(bin/$name --version) == "$name "* ]] || echo "wrong $name"; done
      [[ $(bin/functions vote-cast --version) == "vote-cast "* ]] && bin/functions --help | grep -qx '  echo'
      bin/functions nothing 2>/dev/null && echo "wrong nothing" || [[ $? == 64 ]]
      # Two files, and links to them.
      [[ $(find bin -type f | sort | xargs) == "bin/functions bin/runner" ]]
      for file in bin/functions bin/runner; do
        objdump -T $file | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1 | sed "s,^,$file needs ,"
        objdump -T $file | grep -oE '(GLIBCXX|CXXABI|GCC)_[0-9.]+' || true
      done
      """)
    #expect(unpacked.exit == 0, "\(unpacked.stdout)\(unpacked.stderr)")
    #expect(!unpacked.stdout.contains("wrong"), "\(unpacked.stdout)")
    // Amazon Linux 2023 and UBI 9 have GLIBC 2.34.
    for file in ["bin/functions", "bin/runner"] { #expect(unpacked.stdout.contains("\(file) needs GLIBC_2.34\n")) }
    #expect(!unpacked.stdout.contains("CXX") && !unpacked.stdout.contains("GCC_"), "\(unpacked.stdout)")
    #expect(unpacked.stdout.contains("functions.json is valid"))

    let package = try await shell("dpkg-deb --info '\(first.path)'/*.deb && dpkg-deb --contents '\(first.path)'/*.deb")
    #expect(package.stdout.contains("libpq5") && package.stdout.contains("./opt/push-functions/bin/vote-cast"))
    #expect(package.stdout.contains("./usr/lib/systemd/system/push-functions.service"))
    #expect(package.stdout.contains("root/root"))
    #expect(package.stdout.contains("Recommends: libicu72 | "))
    if access("/usr/bin/lintian", X_OK) == 0 {
      let judged = try await shell("lintian --fail-on error '\(first.path)'/*.deb")
      #expect(judged.exit == 0, "\(judged.stdout)\(judged.stderr)")
    }
    let bill = try RawJSON(validating: Array(Data(contentsOf: URL(filePath: "\(first.path)/sbom.cdx.json")))[...])
    let names = bill["components"]?.elements?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(Set(names).isSuperset(of: ["swift", "libc6", "libpq5", "libssl3", "libnghttp2-14"]))
  }
}

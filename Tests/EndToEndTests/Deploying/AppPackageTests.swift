import Foundation
import TestSupport
import Testing

/// An app's package may depend on this one for `PushPayload`.
@Suite(.heavy, .qualifiesReleases)
struct AppPackageTests {
  /// Where libpq, libcurl, OpenSSL and nghttp2 are missing, nothing asks for them.
  @Test func anAppBuildsPushPayloadAndWhatItUsesAlone() async throws {
    let folder = try TemporaryDirectory()
    let (app, product) = ("\(folder.path)/app", "PushPayload")
    try FileManager.default.createDirectory(atPath: "\(app)/Sources/App", withIntermediateDirectories: true)
    try """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "app", dependencies: [.package(name: "push-functions", path: "\(House.root.path)")],
      targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "PushPayload", package: "push-functions")])
      ])
    """.write(toFile: "\(app)/Package.swift", atomically: true, encoding: .utf8)
    try """
    import \(product)
    print(PushAction(rawValue: "VOTE_YES") == nil ? "unknown" : "known", ReceivedPush<FeedbackKitPush>.self)
    """.write(toFile: "\(app)/Sources/App/main.swift", atomically: true, encoding: .utf8)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    let outcome = try await BuiltExecutables.run(
      "/usr/bin/env", ["swift", "build", "--package-path", app, "--scratch-path", "\(folder.path)/build"],
      // pkg-config finds no library at all.
      environment: ["PATH": path, "HOME": folder.path, "PKG_CONFIG_LIBDIR": "/nonexistent"], timeout: .seconds(900))

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    // SwiftPM makes a folder for each target, but compiles only what is asked for.
    let objects = try await BuiltExecutables.run("/usr/bin/find", ["\(folder.path)/build/", "-name", "*.o"])
    let built = objects.stdout.split(separator: "\n").flatMap { $0.split(separator: "/") }.filter {
      $0.hasSuffix(".build")
    }
    #expect(Set(built) == ["App.build", "Formats.build", "PushPayload.build"])
    #expect(try await BuiltExecutables.run("\(folder.path)/build/debug/App").exit == 0)
  }
}

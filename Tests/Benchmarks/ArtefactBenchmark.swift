import Foundation
import FunctionKit
import HTTPClient
import TestSupport

/// The size of what is shipped, the starts of its programs, and what all functions take while nothing happens.
struct ArtefactBenchmark {
  let effort: Effort

  /// In millions of bytes.
  private static let limits = (unpacked: 60.0, compressed: 25.0, image: 80.0)
  private static let rounds = 200

  func findings() async throws -> [Finding] {
    let folder = try TemporaryDirectory()
    var environment = ProcessInfo.processInfo.environment
    environment["PUSH_FUNCTIONS_PRODUCTS"] = BuiltExecutables.directory
    let made = try await BuiltExecutables.run(
      "Runner/image", ["--skip-build", "--out", folder.path] + effort.choose(quick: ["--level", "1"], normal: []),
      environment: environment, timeout: .seconds(900))
    guard made.exit == 0 else { throw BenchmarkError("Runner/image has failed: \(made.stdout)\(made.stderr)") }
    let unpacked = "\(folder.path)/unpacked"
    try FileManager.default.createDirectory(atPath: unpacked, withIntermediateDirectories: true)
    let archive = try file(ending: ".tar.zst", in: folder.path)
    let tar = try await BuiltExecutables.run(
      "/bin/tar", ["--zstd", "-xf", archive, "-C", unpacked, "--strip-components", "1"])
    guard tar.exit == 0 else { throw BenchmarkError("tar has failed: \(tar.stderr)") }
    let opened = try await BuiltExecutables.run(
      "/usr/bin/umoci",
      ["raw", "unpack", "--rootless", "--image", "\(folder.path)/image:latest", "\(folder.path)/root"])
    guard opened.exit == 0 else { throw BenchmarkError("umoci has failed: \(opened.stderr)") }
    return try sizes(of: folder.path, unpacked, archive) + starts(unpacked) + (try await warm(unpacked))
  }

  private func sizes(of folder: String, _ unpacked: String, _ archive: String) throws -> [Finding] {
    [
      Finding(
        what: "artefact: MB on disk", value: try megabytes(unpacked), limits: [.valueAtMost(Self.limits.unpacked)]),
      Finding(
        what: "artefact: MB of the tar.zst", value: try megabytes(archive),
        limits: [.valueAtMost(Self.limits.compressed)]),
      Finding(
        what: "artefact: MB of the .deb", value: try megabytes(file(ending: ".deb", in: folder)),
        limits: [.valueAtMost(Self.limits.compressed)]),
      Finding(what: "artefact: MB of the image, compressed", value: try megabytes("\(folder)/image")),
      Finding(
        what: "artefact: MB of the image, unpacked", value: try megabytes("\(folder)/root"),
        limits: [.valueAtMost(Self.limits.image)]),
    ]
  }

  /// From spawning to the exit: the program of the build, and the same in the artefact, which has all in one.
  private func starts(_ unpacked: String) throws -> [Finding] {
    try ["echo", "vote-cast", "push-delivery"].flatMap { name in
      let places = [BuiltExecutables.path(of: name), "\(unpacked)/bin/\(name)"]
      var times = places.map { _ in [Double]() }
      for round in 0...Self.rounds {
        for (index, place) in places.enumerated() {
          let time = try Spawning.spawnToExit(place, ["--version"])
          if round > 0 { times[index].append(time.milliseconds) }
        }
      }
      let (alone, shipped) = (Samples(times[0]), Samples(times[1]))
      return [
        Finding(what: "artefact: start-up of \(name), its own program", p50: alone.p50, p99: alone.p99),
        Finding(
          what: "artefact: start-up of \(name), as shipped, against that", p50: shipped.p50, p99: shipped.p99,
          ratio: shipped.p50 / alone.p50,
          // The build links echo without a loader, which no program can have that calls libpq.
          limits: name == "echo" ? [] : [.ratioAtMost(1)]),
      ]
    }
  }

  /// All functions after a call each; the runner's other processes and PostgreSQL's count, too.
  private func warm(_ unpacked: String) async throws -> [Finding] {
    let manifest = try ProjectManifest.read()
    let seconds = effort.choose(quick: 5, normal: 65, long: 180)
    return try await withServedProject(manifest: manifest.text, runner: "\(unpacked)/bin/runner") { project in
      for function in manifest.functions { try await call(function, at: project.port) }
      // A connection that nobody uses is closed after 20 seconds.
      try await Task.sleep(for: .seconds(effort.choose(quick: 1, normal: 30, long: 30)))
      let family = try ProcessFigures.family(of: project.runner.processID)
      let memory = try family.map { try ProcessFigures.proportionalMemory(of: $0) }.reduce(0, +)
      // Sessions of the database end meanwhile, and cost the most.
      let before = try ProcessFigures.familyTime(of: project.runner.processID)
      let waitsBefore = family.map { (try? ProcessFigures.waits(of: $0)) ?? 0 }
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(seconds))
      let time = (ContinuousClock.now - start) / .seconds(1)
      let used = try ProcessFigures.familyTime(of: project.runner.processID) - before
      let waits = zip(family, waitsBefore).map { max(0, ((try? ProcessFigures.waits(of: $0)) ?? 0) - $1) }
      return [
        Finding(
          what: "artefact: MiB of PSS, all functions warm (\(family.count) processes)",
          value: Double(memory) / 1_048_576, limits: [.valueAtMost(150)], goal: .valueAtMost(120)),
        Finding(
          what: "artefact: % of one core, all of them idle", value: 100 * (used / .seconds(1)) / time,
          limits: [.valueBelow(1.5)], goal: .valueAtMost(0.5)),
        Finding(
          what: "artefact: wake-ups a second, all of them idle", value: Double(waits.reduce(0, +)) / time,
          goal: .valueAtMost(30)),
      ]
    }
  }

  /// Has it handle its sample; functions of the API get the sample's request, whose token is nobody's.
  private func call(_ function: String, at port: UInt16) async throws {
    let sample = Array(FileManager.default.contents(atPath: "Tests/Events/\(function).json") ?? Data("{}".utf8))
    let request = try RawJSON(validating: sample[...])
    var call = HTTPCall(
      .post, "http://127.0.0.1:\(port)/functions/v1/\(function)", headers: [("Content-Type", "application/json")],
      body: sample)
    let method = request["requestContext"]?["http"]?["method"]?.stringValue
    if let path = request["rawPath"]?.stringValue, let method = method.flatMap({ HTTPCall.Method(rawValue: $0) }) {
      call = HTTPCall(
        method, "http://127.0.0.1:\(port)\(path)",
        headers: [
          ("Content-Type", "application/json"), ("Authorization", "Bearer \(String(repeating: "0", count: 64))"),
        ],
        body: Array((request["body"]?.stringValue ?? "").utf8))
    }
    _ = try await HTTPClient().send(call)
  }

  private func file(ending: String, in folder: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    guard let name = names.first(where: { $0.hasSuffix(ending) }) else {
      throw BenchmarkError("There is no \(ending).")
    }
    return "\(folder)/\(name)"
  }

  /// The bytes of a file, or of all files below a folder; links count nothing.
  private func megabytes(_ path: String) throws -> Double {
    let below = FileManager.default.enumerator(atPath: path)?.compactMap { "\(path)/\($0)" } ?? []
    let sizes = try ([path] + below).map { file in
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      return attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0
    }
    return Double(sizes.reduce(0, +)) / 1e6
  }
}

import EventLoop
import TestSupport

/// The runner's memory over a million calls of a warm function, and while functions write without end.
struct MemoryBenchmark {
  let effort: Effort

  private static let connections = 32

  func findings() async throws -> [Finding] { try await calls() + FloodedMemory().findings() }

  private func calls() async throws -> [Finding] {
    let (early, late) = effort.choose(quick: (5_000, 30_000), normal: (200_000, 1_200_000))
    return try await withServedProject(manifest: HTTPBenchmark.manifest) { project in
      let load = HTTPLoad(port: project.port)
      defer { load.loop.stop() }
      var count = 0
      var sizes: [Double] = []
      for target in [early, late] {
        while count < target {
          count += try await load.run(
            function: "warm", connections: Self.connections, warmUp: .zero, time: .seconds(1)
          ).milliseconds.count
        }
        sizes.append(Double(try ProcessFigures(project.runner.processID).memory))
      }
      return [
        Finding(what: "memory: the runner's MB after \(early) calls", value: sizes[0] / 1e6),
        Finding(
          what: "memory: the runner's MB after \(late) calls, against that", ratio: sizes[1] / sizes[0],
          value: sizes[1] / 1e6, limits: [.ratioAtMost(1.05)]),
      ]
    }
  }
}

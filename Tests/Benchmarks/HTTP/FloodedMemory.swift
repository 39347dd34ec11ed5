import FunctionKit
import HTTPClient
import TestSupport

/// The most memory that the runner takes for functions that write without end: here on stdout and stderr, and elsewhere
/// as the body of an answer, sixty at a time.
struct FloodedMemory {
  private static let callers = 60

  func findings() async throws -> [Finding] {
    let folder = try TemporaryDirectory()
    let port = try RunningProgram.freePort()
    let server = try await FloodingServer.start(on: port)
    let functions = try ["stdout": "cat /dev/zero", "stderr": "head -c 100000000 /dev/zero >&2"].map { name, script in
      let file = try folder.write("#!/bin/sh\n\(script) | tr '\\0' ' '\n", to: "\(name).sh", mode: 0o700)
      return #""\#(name)":{"executable":"\#(file)","mode":"oneshot"}"#
    }
    let elsewhere = #""elsewhere":{"url":"http://127.0.0.1:\#(port)/","concurrency":\#(Self.callers),"timeout":10}"#
    let manifest = #"{"functions":{\#((functions + [elsewhere]).joined(separator: ","))}}"#
    let peaks = try await withServedProject(manifest: manifest) { project in
      var peaks: [Double] = []
      for names in [["none"], ["stdout", "stderr"], [String](repeating: "elsewhere", count: Self.callers)] {
        try await call(names, at: project.port)
        peaks.append(Double(try ProcessFigures.peakMemory(of: project.runner.processID)) / 1_048_576)
      }
      return peaks
    }
    withExtendedLifetime(server) {}
    return [
      Finding(
        what: "memory: the runner's MiB more, functions flood both streams", value: peaks[1] - peaks[0],
        limits: [.valueBelow(40)]),
      // Without a bound of their own together, they would have 360 MiB.
      Finding(
        what: "memory: the runner's MiB at most, \(Self.callers) answers without end", value: peaks[2],
        limits: [.valueBelow(260)]),
    ]
  }

  /// Calls them all at once, and waits for the refusals.
  private func call(_ names: [String], at port: UInt16) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask {
          let call = HTTPCall(.post, "http://127.0.0.1:\(port)/functions/v1/\(name)", body: Array("{}".utf8))
          _ = try await HTTPClient().send(call)
        }
      }
      try await group.waitForAll()
    }
  }
}
